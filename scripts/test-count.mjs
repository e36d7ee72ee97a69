// Prints "N passed, N failed" from vitest's JSON reports, whose paths are the arguments.
import { existsSync, readFileSync } from "node:fs"

let passed = 0
let failed = 0
for (const path of process.argv.slice(2)) {
  const text = existsSync(path) ? readFileSync(path, "utf8") : ""
  if (text === "") {
    console.error(`The tests of ${path} did not run.`)
    failed++
    continue
  }
  const { numPassedTests, numFailedTests, testResults } = JSON.parse(text)
  // A file that does not load has no tests to fail: it counts as one failure of its own.
  const broken = testResults.filter(
    (file) => file.status === "failed" && !file.assertionResults.some((test) => test.status === "failed"),
  )
  passed += numPassedTests
  failed += numFailedTests + broken.length
}
console.log(`${passed} passed, ${failed} failed`)
if (failed > 0) process.exitCode = 1
