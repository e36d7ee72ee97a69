import { faultsOf } from "./suite.js"

faultsOf("anthropic")
