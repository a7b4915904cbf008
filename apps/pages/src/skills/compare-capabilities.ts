import type { SkillCapabilities } from '@homeward/contract/agent-platform'

/** One thing that a skill asks for. */
export interface CapabilityChange {
  readonly value: string
  readonly change: 'added' | 'removed' | 'kept'
}

interface Compared {
  readonly capabilities: SkillCapabilities
  readonly added?: SkillCapabilities
  readonly removed?: SkillCapabilities
}

/** Everything of one kind: what is new first, what is gone last. */
export function compareCapabilities(
  { capabilities, added, removed }: Compared,
  kind: keyof SkillCapabilities,
): CapabilityChange[] {
  const isNew = new Set(added?.[kind])
  const kept = capabilities[kind].filter((value) => !isNew.has(value))
  return [
    ...capabilities[kind]
      .filter((value) => isNew.has(value))
      .map((value) => ({ value, change: 'added' as const })),
    ...kept.map((value) => ({ value, change: 'kept' as const })),
    ...(removed?.[kind] ?? []).map((value) => ({ value, change: 'removed' as const })),
  ]
}

/** Whether an update asks for anything that its installed version does not. */
export function asksForMore(added: SkillCapabilities): boolean {
  return Object.values(added).some((values) => values.length > 0)
}
