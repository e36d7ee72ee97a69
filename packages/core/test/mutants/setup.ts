import fc from "fast-check"

// That a history fails is enough: nobody reads the smallest one.
fc.configureGlobal({ endOnFailure: true })
