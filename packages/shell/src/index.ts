/**
 * What does this line of bash read, write, run and send, and how sure are we? The answer comes from a real grammar of
 * bash and from tables of programs and their options. Where bash and the grammar might disagree, the answer is a doubt.
 */
export { type CommandJudgement, type JudgeOptions, judge } from "./judge.js"
export type {
  CommandTouch,
  Doubt,
  FileRead,
  FileWrite,
  FolderVisit,
  NetworkUse,
  PathReach,
  ProgramRun,
  RunEffect,
} from "./touches.js"
