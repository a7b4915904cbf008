export { backgroundTimers } from './background-timers.ts'
export { replaceFile, type ReplaceFileOptions } from './replace-file.ts'
