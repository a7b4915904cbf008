import type { Json } from '@homeward/contract/agent-platform'
import { isDeeperThan } from '@homeward/kit'
import { toWellFormed } from '../../json/to-json.ts'

/** What a text may hold, the likeliest first, or why it holds nothing. */
export type ParsedOutput = { readonly values: readonly Json[] } | { readonly problem: string }

/** As bodies of requests. What walks deeper values overflows its stack. */
const maxDepth = 100

/**
 * Reads the JSON of a model's answer. Text around it is ignored: models explain themselves, and put JSON into a code fence,
 * also when they are asked not to.
 */
export function parseOutput(text: string): ParsedOutput {
  if (text.trim() === '') return { problem: 'the output is empty' }
  const candidates = new Set([...candidatesOf(text)].map((candidate) => candidate.trim()))
  const found = [...candidates].map(tryParse).filter((value) => value !== undefined)
  const values = found.filter((value) => !isDeeperThan(value, maxDepth))
  if (values.length > 0) return { values }
  return { problem: found.length > 0 ? `the output nests deeper than ${maxDepth} levels` : notJson }
}

const notJson = 'the output is not valid JSON'

/** The whole text, the last code fence, and what stands between the first and the last bracket. Each is read once: no search. */
function* candidatesOf(text: string): Generator<string, void> {
  yield text
  const end = text.lastIndexOf('```')
  const start = text.lastIndexOf('```', end - 1)
  if (end > 0 && start >= 0 && start < end) yield text.slice(start + 3, end).replace(/^[A-Za-z0-9]*\s/, '')
  for (const [first, last] of ['{}', '[]']) {
    const [open, close] = [text.indexOf(first ?? ''), text.lastIndexOf(last ?? '')]
    if (open >= 0 && close > open) yield text.slice(open, close + 1)
  }
}

function tryParse(text: string): Json | undefined {
  try {
    return JSON.parse(text, toWellFormed) as Json // JSON.parse gives nothing else
  } catch {
    return undefined
  }
}
