import type { GraphMap, Json } from '@homeward/contract/agent-platform'
import { parseJson } from '../json/parse-json.ts'
import { RuntimeError } from '../ports/runtime-error.ts'
import { maxItems } from './node-subject.ts'

/**
 * The list that a node with `map` goes over.
 *
 * @param source data or text of the node that has it
 * @throws {RuntimeError} `validation_error` if there is no list, or a too long one
 */
export function listItems({ over, path = '' }: GraphMap, source: Json | undefined): readonly Json[] {
  let value = typeof source === 'string' ? parseJson(source) : source
  for (const step of path.split('/').slice(1)) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~')
    value = isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined
  }
  const where = `${path || 'the data'} of "${over}"`
  if (!Array.isArray(value)) throw unusable(`${where} must be a list`)
  if (value.length > maxItems)
    throw unusable(`${where} must have at most ${maxItems} items, got ${value.length}`)
  return value
}

const isRecord = (value: Json | undefined): value is Record<string, Json> =>
  typeof value === 'object' && value !== null

const unusable = (problem: string) =>
  new RuntimeError('validation_error', `Listing the items failed: ${problem}.`)
