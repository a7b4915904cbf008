/** Reads JSON that a store wrote itself: what it holds was checked before it came there. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the one place that trusts what was stored
export function fromJson<Value>(json: string): Value {
  return JSON.parse(json) as Value
}
