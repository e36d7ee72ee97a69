import { faultsOf } from "./suite.js"

faultsOf("openai")
