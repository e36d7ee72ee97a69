#!/usr/bin/env node
// Older versions would stop at a missing function, somewhere. This file has nothing in it that they do not know.
var versions = process.versions.node.split(".").map(Number)
if (versions[0] < 20 || (versions[0] === 20 && versions[1] < 19)) {
  console.error(
    "sotto needs Node 20.19 or newer, and this is " +
      process.versions.node +
      ". Install a newer one (nodejs.org), or switch to one: nvm install 22",
  )
  process.exit(1)
}
require("./start.js")
