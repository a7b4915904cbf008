import type { Turn, TurnPart } from '@homeward/contract/runs'

/**
 * A key for each part. The stored turn, which takes the place of the live one, has no approvals and may lack reasoning: a
 * call keeps its key all the same, so a fold that a person opened stays open.
 */
export function keysOf(parts: readonly TurnPart[]): readonly string[] {
  const seen = new Map<string, number>()
  return parts.map((part) => {
    const name = part.kind === 'tool' ? `tool ${part.callId}` : part.kind
    const count = (seen.get(name) ?? 0) + 1
    seen.set(name, count)
    return `${name} ${count}`
  })
}

/** A turn that was read from its messages, with the reasoning that was received while it ran. */
export function withReasoningOf(kept: Turn, live: Turn): Turn {
  const parts = [...kept.parts]
  for (const [index, part] of live.parts.entries()) {
    // As many parts stand before it as stood there live.
    if (part.kind === 'reasoning') parts.splice(Math.min(index, parts.length), 0, part)
  }
  return parts.length === kept.parts.length ? kept : { ...kept, parts }
}
