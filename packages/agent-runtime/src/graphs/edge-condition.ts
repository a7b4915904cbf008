import type { EdgeCondition } from '@homeward/contract/agent-platform'

/** Whether an output is as an edge wants it (A10). Case does not count; all that is given must hold. */
export function meetsCondition(when: EdgeCondition | undefined, output: string): boolean {
  if (when === undefined) return true
  const text = output.toLowerCase()
  const holds = (needle: string) => text.includes(needle.toLowerCase())
  if (typeof when === 'string') return holds(when)
  const { contains, not_contains: absent, equals, starts_with: start } = when
  return (
    (contains === undefined || holds(contains)) &&
    (absent === undefined || !holds(absent)) &&
    (equals === undefined || text.trim() === equals.toLowerCase().trim()) &&
    (start === undefined || text.trimStart().startsWith(start.toLowerCase().trimStart()))
  )
}
