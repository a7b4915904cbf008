import type { Json, JsonObject } from '@homeward/contract/agent-platform'
import { isJsonObject } from '../../json/json-object.ts'

/** What the references of a schema lead to; {@link unknownRules} where that cannot be told. */
export type FollowReferences = (schema: JsonObject) => readonly Json[]

/** Stands for rules that nobody knows: what they are about is secret, and so is every property of it. */
export const unknownRules: JsonObject = { writeOnly: true, additionalProperties: { writeOnly: true } }

const keywords = ['$ref', '$dynamicRef', '$recursiveRef'] as const
/** Of a schema that says nothing about its own address. */
const noAddress = 'https://schema.invalid/'

/**
 * Makes what follows references within one schema, as the check of configs does: by pointers, anchors and addresses,
 * each relative to the nearest `$id`.
 */
export function createReferences(root: JsonObject): FollowReferences {
  const { bases, named } = readNames(root)
  const isOneResource = new Set(bases.values()).size === 1

  return (schema) =>
    keywords.flatMap((keyword) => {
      const reference = schema[keyword]
      if (reference === undefined) return []
      // among several resources a dynamic one leads where the way to it says
      if (keyword !== '$ref' && !isOneResource) return [unknownRules]
      return [find(named, toAddress(toText(reference), bases.get(schema))) ?? unknownRules]
    })
}

interface Names {
  /** Address from which the references of an object are read. */
  readonly bases: ReadonlyMap<JsonObject, string>
  /** Schemas by their address, or address and anchor. */
  readonly named: ReadonlyMap<string, JsonObject>
}

function readNames(root: JsonObject): Names {
  const bases = new Map<JsonObject, string>()
  const named = new Map([[noAddress, root]])
  const waiting: [value: Json, base: string][] = [[root, noAddress]]
  // a list that grows: a schema may be deeper than a stack
  for (const [value, outer] of waiting) {
    if (typeof value !== 'object' || value === null) continue
    const schema = isJsonObject(value) ? value : {}
    const id = toText(schema['$id'])
    const address = id === undefined ? outer : toAddress(id, outer)
    const base = address?.split('#', 1)[0] ?? ''
    const anchors = [schema['$anchor'], schema['$dynamicAnchor']].flatMap((anchor) => toText(anchor) ?? [])
    const names = anchors.map((anchor) => toAddress(`#${anchor}`, base))
    if (id !== undefined) names.push(address)
    for (const name of names) if (name !== undefined) addName(named, name, schema)
    bases.set(schema, base)
    for (const inner of Object.values(value)) waiting.push([inner, base])
  }
  return { bases, named }
}

/** Of two that have one name nobody knows which is meant. */
function addName(named: Map<string, JsonObject>, name: string, schema: JsonObject): void {
  const other = named.get(name)
  named.set(name, other === undefined || other === schema ? schema : unknownRules)
}

function toText(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** Undefined for what is no address. */
function toAddress(reference: string | undefined, base: string | undefined): string | undefined {
  if (reference === undefined || !URL.canParse(reference, base)) return undefined
  return new URL(reference, base).href.replace(/#$/, '')
}

/** Undefined where there is no schema. */
function find(named: Names['named'], address: string | undefined): Json | undefined {
  if (address === undefined) return undefined
  const [resource = '', pointer] = address.split('#', 2)
  if (!pointer?.startsWith('/')) return named.get(address)
  let place: Json | undefined = named.get(resource)
  for (const part of pointer.split('/').slice(1)) {
    if (typeof place !== 'object' || place === null) return undefined
    const name = decode(part).replaceAll('~1', '/').replaceAll('~0', '~')
    place = Object.hasOwn(place, name) ? (place as JsonObject)[name] : undefined // an index names an entry of a list
  }
  return isJsonObject(place) || typeof place === 'boolean' ? place : undefined
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
