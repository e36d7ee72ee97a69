/** What the judgement of git relies on: the environment that git has to run in, and how a `.git` file is read. */
export { gitPointer } from "./files/git-pointer.js"
export { GIT_ENVIRONMENT } from "./programs/git-environment.js"
