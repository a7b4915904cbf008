export { backgroundTimers } from './background-timers.ts'
