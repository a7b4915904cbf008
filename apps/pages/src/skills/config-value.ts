import type { JsonObject } from '@homeward/contract/agent-platform'
import { deepEquals, retrieveSchema, type RJSFSchema } from '@rjsf/utils'
import { isSecretSchema } from '../components/schema-form/kept-secrets.ts'
import { type FormValue, schemaValidator } from '../components/schema-form/schema-validator.ts'

/** A config as the form holds it: secrets that are not set come from the server as `false`, and are absent here. */
export function toFormValue(schema: RJSFSchema, config: JsonObject): FormValue {
  return withoutUnset(schema, schema, config, 0)
}

/**
 * A config once it was saved: as the server has it now, but for what was changed while it was on its way.
 *
 * @param sent what was saved.
 * @param saved what the server has of it.
 */
export function rebaseConfig(value: FormValue, sent: FormValue, saved: FormValue): FormValue {
  const changed = changedNames(value, sent)
  const entries = Object.keys({ ...saved, ...value }).map(
    (name) => [name, changed.includes(name) ? value[name] : saved[name]] as const,
  )
  return Object.fromEntries(entries.filter(([, entry]) => entry !== undefined))
}

/** What a form began with. */
interface BegunConfig {
  /** What the server had then. */
  readonly read: FormValue
  /** The same with the defaults that the form filled in: what differs from it a person has changed. */
  readonly shown: FormValue
}

/**
 * A config to be saved, where somebody else may have saved another one since the form began: what they changed stays, unless
 * it was changed here too.
 *
 * @param now what the server has by now.
 */
export function withTheirChanges(value: FormValue, { read, shown }: BegunConfig, now: FormValue): FormValue {
  const own = changedNames(value, shown)
  const merged = { ...value }
  for (const name of changedNames(now, read)) {
    const [mine, theirs] = [value[name], now[name]]
    if (!own.includes(name)) merged[name] = theirs
    else if (isObject(mine) && isObject(theirs)) {
      const begun = { read: toObject(read[name]), shown: toObject(shown[name]) }
      merged[name] = withTheirChanges(mine, begun, theirs)
    }
  }
  return Object.fromEntries(Object.entries(merged).filter(([, entry]) => entry !== undefined))
}

/**
 * What was changed here and elsewhere to something else, with the names that lead there: somebody's change would be lost.
 *
 * @param known what the server had when people last heard of it.
 * @param now what it has by now.
 */
export function clashingPaths(
  value: FormValue,
  shown: FormValue,
  known: FormValue,
  now: FormValue,
): readonly (readonly string[])[] {
  const own = changedNames(value, shown)
  return changedNames(now, known).flatMap((name): readonly (readonly string[])[] => {
    const [mine, theirs] = [value[name] ?? undefined, now[name] ?? undefined]
    if (!own.includes(name) || deepEquals(mine, theirs)) return []
    if (!isObject(mine) || !isObject(theirs)) return [[name]]
    const within = clashingPaths(mine, toObject(shown[name]), toObject(known[name]), theirs)
    return within.map((path) => [name, ...path])
  })
}

/** What differs, whatever the order in which it stands. */
export function changedNames(value: FormValue, before: FormValue): readonly string[] {
  return Object.keys({ ...before, ...value }).filter((name) => !deepEquals(value[name], before[name]))
}

const maxDepth = 20

function withoutUnset(schema: RJSFSchema, root: RJSFSchema, value: FormValue, depth: number): FormValue {
  if (depth > maxDepth) return value
  const { properties = {} } = resolve(schema, root, value)
  const kept = Object.entries(value).flatMap(([name, entry]): [string, unknown][] => {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined
    if (typeof property !== 'object') return [[name, entry]]
    if (entry === false && isSecretSchema(property)) return []
    return [[name, isObject(entry) ? withoutUnset(property, root, entry, depth + 1) : entry]]
  })
  return Object.fromEntries(kept)
}

function resolve(schema: RJSFSchema, root: RJSFSchema, value: FormValue): RJSFSchema {
  try {
    return retrieveSchema(schemaValidator, schema, root, value)
  } catch {
    return schema
  }
}

const toObject = (value: unknown): FormValue => (isObject(value) ? value : {})

function isObject(value: unknown): value is FormValue {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
