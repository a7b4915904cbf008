import type { Json } from '@homeward/contract/agent-platform'

/** Flags at the start of a pattern, as Python, Go and Java write them. */
const inlineFlags = /^\(\?([ims]+)\)/

/**
 * Reads a pattern of a JSON Schema. With Unicode's rules first, as the standard asks for; people also escape what need not
 * be escaped (`\-`, `\:`), which only the older rules allow.
 *
 * @returns undefined for one that JavaScript cannot read.
 */
export function readPattern(pattern: Json): RegExp | undefined {
  if (typeof pattern !== 'string') return undefined
  const flags = inlineFlags.exec(pattern)?.[1] ?? ''
  const rest = pattern.replace(inlineFlags, '')
  const own = [...new Set(flags)].join('')
  return tryPattern(rest, `u${own}`) ?? tryPattern(rest, own)
}

function tryPattern(pattern: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(pattern, flags)
  } catch {
    return undefined
  }
}
