export { missingSteps, toScript, type Migration } from './migration.ts'
export { all, change, each, first, emit, Undo, type Plan, type Step, type Emit } from './plan.ts'
export type { SqlBuilder } from './sql-builder.ts'
export { SqlFailure, type SqlFailureKind, type SqlFailureOptions } from './sql-failure.ts'
export {
  buildOnce,
  compileStatement,
  limitTo,
  rememberStatements,
  restoreTexts,
  toCompilable,
  toParameter,
  toText,
  type Statement,
} from './plan.ts'
export type {
  ArgumentsOf,
  CallsOf,
  PlansOf,
  ResultOf,
  RunPlan,
  MethodCall,
  MethodRow,
  MethodTable,
} from './verbs.ts'
export { bindCalls, bindPlans, wrapMethods } from './verbs.ts'
export { planDeliveries } from './webhooks/delivery-plans.ts'
export { buildEventTriggers, type EventTrigger, type TriggerLanguage } from './webhooks/event-triggers.ts'
export { planWebhooks } from './webhooks/webhook-plans.ts'
export { buildWebhookTables, type WebhookTables } from './webhooks/webhook-tables.ts'
