import type { Json } from '@homeward/contract/agent-platform'
import { isDeeperThan } from '@homeward/kit'
import { toWellFormed } from '../../json/to-json.ts'

/** As bodies of requests. What walks deeper values, as redaction and storing do, overflows its stack. */
const maxDepth = 100

/** Arguments as the model wrote them; the text itself when it is no JSON, or nests too deeply to be kept. */
export function parseArguments(input: string): Json {
  if (input.trim() === '') return {}
  try {
    const isWhole = !/\\u[dD][89a-fA-F]/.test(input) // a model may write half of a surrogate pair as an escape
    const value = JSON.parse(input, isWhole ? undefined : toWellFormed) as Json // JSON.parse gives nothing else
    return isDeeperThan(value, maxDepth) ? input : value
  } catch {
    return input
  }
}
