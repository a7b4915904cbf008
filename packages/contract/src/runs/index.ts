export {
  type FollowedRun,
  type FollowedRunEvent,
  followRun,
  type FollowRunOptions,
  type RunClient,
} from './follow-run.ts'
export { foldRun } from './fold-run.ts'
export { storedTurns } from './stored-turns.ts'
export {
  type ApprovalPart,
  closeApproval,
  isTurnOver,
  newTurn,
  waitingApprovals,
  textOf,
  type ToolPart,
  type Turn,
  type TurnFile,
  type TurnPart,
} from './turn.ts'
