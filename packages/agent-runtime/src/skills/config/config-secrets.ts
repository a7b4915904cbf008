import { isDeepStrictEqual } from 'node:util'
import type { Json, JsonObject } from '@homeward/contract/agent-platform'
import { isJsonObject } from '../../json/json-object.ts'
import { isSecretName } from '../../secrets/secret-names.ts'
import {
  isSecret,
  type Rules,
  rulesOf,
  rulesOfItem,
  rulesOfProperty,
  secretNames,
} from '../definitions/schema-rules.ts'

/**
 * The config with secrets as booleans: whether they are set. Secrets are properties with `format: password` or
 * `writeOnly`, however deep they lie. Without a schema nothing is known about them, and names that look like a secret's
 * are taken for one.
 */
export function redactSecrets(schema: JsonObject | undefined, config: JsonObject): JsonObject {
  return viewOfObject(rulesOf(schema ?? guessSchema(config)), config)
}

/**
 * A new config in the place of an old one. A secret that is absent or `true`, as it was shown, keeps its value;
 * `null`, `false` and the empty text clear it. Entries of lists have no name: an entry keeps its secrets when the rest
 * of it is as it was shown, so that none moves to another entry. No secret stays if an address of the config changes its
 * origin, comes or goes: the new one would get it.
 */
export function replaceConfig(
  schema: JsonObject | undefined,
  old: JsonObject,
  given: JsonObject,
): JsonObject {
  const rules = rulesOf(schema ?? guessSchema({ ...old, ...given }))
  const [before, after] = [old, given].map((config) => originsOf(viewOfObject(rules, config)))
  const isMoved = !isDeepStrictEqual(before, after)
  return isMoved ? replaceObject(rules, {}, given) : replaceObject(rules, old, given)
}

/** The origins of all addresses, each with its place. Objects in lists are left out: they have secrets of their own. */
function originsOf(value: Json | undefined, place = ''): readonly string[] {
  if (typeof value === 'string') {
    const origin = /^https?:/i.test(value) ? URL.parse(value)?.origin : undefined
    return origin === undefined ? [] : [`${place}=${origin}`]
  }
  if (Array.isArray(value))
    return value.flatMap((each) => (typeof each === 'string' ? originsOf(each, place) : []))
  if (!isJsonObject(value)) return []
  const found = Object.entries(value).flatMap(([name, each]) => originsOf(each, `${place}/${name}`))
  return found.toSorted()
}

function guessSchema(config: JsonObject): JsonObject {
  const names = Object.keys(config).filter(isSecretName)
  return { properties: Object.fromEntries(names.map((name) => [name, { writeOnly: true }])) }
}

function viewOf(rules: Rules, value: Json): Json {
  if (isSecret(rules)) return isSet(value)
  if (Array.isArray(value)) return value.map((item, index) => viewOf(rulesOfItem(rules, index), item))
  return isJsonObject(value) ? viewOfObject(rules, value) : value
}

function viewOfObject(rules: Rules, value: JsonObject): JsonObject {
  const unset = secretNames(rules).map((name) => [name, false] as const)
  const shown = Object.entries(value).map(
    ([name, entry]) => [name, viewOf(rulesOfProperty(rules, name), entry)] as const,
  )
  return Object.fromEntries([...unset, ...shown])
}

/** @returns undefined for what is to be left out. */
function replace(rules: Rules, old: Json | undefined, given: Json): Json | undefined {
  if (isSecret(rules)) {
    if (given === true) return isSet(old) ? old : undefined
    return isSet(given) ? given : undefined
  }
  if (Array.isArray(given)) return replaceItems(rules, Array.isArray(old) ? old : [], given)
  return isJsonObject(given) ? replaceObject(rules, isJsonObject(old) ? old : {}, given) : given
}

function replaceObject(rules: Rules, old: JsonObject, given: JsonObject): JsonObject {
  const kept = Object.entries(old).filter(
    ([name, value]) => given[name] === undefined && isSet(value) && isSecret(rulesOfProperty(rules, name)),
  )
  const replaced = Object.entries(given).flatMap(([name, value]) => {
    const before = Object.hasOwn(old, name) ? old[name] : undefined
    const next = replace(rulesOfProperty(rules, name), before, value)
    return next === undefined ? [] : [[name, next] as const]
  })
  return Object.fromEntries([...kept, ...replaced])
}

function replaceItems(rules: Rules, old: readonly Json[], given: readonly Json[]): Json[] {
  const left = old.map((item, index) => ({ item, shown: viewOf(rulesOfItem(rules, index), item) }))
  return given.flatMap((item, index) => {
    const place = left.findIndex(({ shown }) => isDeepStrictEqual(shown, item))
    const [before] = place === -1 ? [] : left.splice(place, 1)
    return replace(rulesOfItem(rules, index), before?.item, item) ?? []
  })
}

function isSet(value: Json | undefined): boolean {
  return value !== undefined && value !== null && value !== false && value !== ''
}
