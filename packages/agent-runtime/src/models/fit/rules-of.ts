import type { Model } from '../../ports/model.ts'
import type { WireRules } from './wire-rules.ts'

const rulesByModel = new WeakMap<Model, WireRules>()

/** Remembers the rules that the calls of a model are fitted to. */
export function setRules(model: Model, rules: WireRules): Model {
  rulesByModel.set(model, rules)
  return model
}

/** The rules that the calls of a model are fitted to; undefined for a model that somebody else made. */
export const rulesOf = (model: Model): WireRules | undefined => rulesByModel.get(model)
