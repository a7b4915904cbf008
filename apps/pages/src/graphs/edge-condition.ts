import type { EdgeCondition, JsonObject } from '@homeward/contract/agent-platform'

/** A condition as it is edited: empty texts stand for what is not asked. */
export interface DraftCondition {
  readonly contains: string
  readonly not_contains: string
  readonly equals: string
  readonly starts_with: string
}

/** What can be asked of an output, and how it is said. */
export const conditionLabels = {
  contains: 'contains',
  not_contains: 'does not contain',
  equals: 'is exactly',
  starts_with: 'starts with',
} as const satisfies Record<keyof DraftCondition, string>

const names = Object.keys(conditionLabels) as (keyof DraftCondition)[] // the keys of the object above

/** Takes the edge whatever the output is. */
export const noCondition: DraftCondition = { contains: '', not_contains: '', equals: '', starts_with: '' }

/** @returns the condition as it is edited. */
export function fromCondition(when: EdgeCondition | undefined): DraftCondition {
  if (when === undefined) return noCondition
  if (typeof when === 'string') return { ...noCondition, contains: when }
  const { contains = '', not_contains = '', equals = '', starts_with = '' } = when
  return { contains, not_contains, equals, starts_with }
}

/** @returns the condition as it is saved; undefined when nothing is asked. */
export function toCondition(draft: DraftCondition, data?: JsonObject): EdgeCondition | undefined {
  const asked = names.filter((name) => draft[name] !== '').map((name) => [name, draft[name]] as const)
  if (asked.length === 0 && !data) return undefined
  return { ...Object.fromEntries(asked), ...(data && { data }) }
}

/** The condition in words, such as `contains "refund"`. */
export function describeCondition(draft: DraftCondition, data?: JsonObject): string {
  const asked = names.filter((name) => draft[name] !== '')
  const texts = asked.map((name) => `${conditionLabels[name]} “${draft[name]}”`)
  return [...texts, ...(data ? ['data matches a schema'] : [])].join(' and ')
}
