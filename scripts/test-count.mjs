// Prints "N passed, N failed" from vitest's JSON report, whose path is the only argument.
import { readFileSync } from "node:fs"

const text = readFileSync(process.argv[2], "utf8")
const nothing = { numPassedTests: 0, numFailedTests: 0, testResults: [] }
if (text === "") {
  console.error("The tests did not run.")
  process.exitCode = 1
}

const { numPassedTests, numFailedTests, testResults } = text === "" ? nothing : JSON.parse(text)
// A file that does not load has no tests to fail: it counts as one failure of its own.
const broken = testResults.filter(
  (file) => file.status === "failed" && !file.assertionResults.some((test) => test.status === "failed"),
)
const failed = numFailedTests + broken.length
console.log(`${numPassedTests} passed, ${failed} failed`)
if (failed > 0) process.exitCode = 1
