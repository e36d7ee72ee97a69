import { faultsOf } from "./suite.js"

faultsOf("gemini")
