export type {
  ArgumentsOf,
  CallsOf,
  PlansOf,
  ResultOf,
  RunPlan,
  VerbCall,
  VerbRow,
  VerbTable,
} from './verbs.ts'
export { bindCalls, bindPlans, wrapVerbs } from './verbs.ts'
