import type { JSONObject, JSONValue } from '@ai-sdk/provider'

/** Names of properties that every provider accepts (Anthropic's pattern is the narrowest). */
const accepted = /^[A-Za-z0-9_.-]{1,64}$/
const maxLength = 64

/** Other names for properties whose own one a provider would refuse. Each stands for one name in the whole schema of a tool. */
export interface PropertyNames {
  /** The name on the wire. */
  toWire(name: string): string
  /** Whether any name differs. */
  readonly isEmpty: boolean
  /** Renames the keys of a value, at every depth, to those on the wire. */
  rename(value: JSONValue): JSONValue
  /** The opposite of {@link rename}. */
  restore(value: JSONValue): JSONValue
}

/** @param used - all names of the schema, so that a made-up name is none of them */
export function createPropertyNames(used: ReadonlySet<string>): PropertyNames {
  const wireByName = new Map<string, string>()
  const nameByWire = new Map<string, string>()
  return {
    get isEmpty() {
      return wireByName.size === 0
    },
    toWire(name) {
      if (accepted.test(name)) return name
      const known = wireByName.get(name)
      if (known !== undefined) return known
      const base = name.replace(/[^A-Za-z0-9_.-]/g, '_').slice(0, maxLength) || '_'
      let wire = base
      for (let number = 2; used.has(wire) || nameByWire.has(wire); number += 1) {
        const suffix = `_${number}`
        wire = base.slice(0, maxLength - suffix.length) + suffix
      }
      wireByName.set(name, wire)
      nameByWire.set(wire, name)
      return wire
    },
    rename: (value) => (wireByName.size === 0 ? value : withKeys(value, wireByName)),
    restore: (value) => (nameByWire.size === 0 ? value : withKeys(value, nameByWire)),
  }
}

function withKeys(value: JSONValue, names: ReadonlyMap<string, string>): JSONValue {
  if (Array.isArray(value)) return value.map((item: JSONValue) => withKeys(item, names))
  if (typeof value !== 'object' || value === null) return value
  const object = value as JSONObject // neither a list nor a scalar
  const entries = Object.keys(object).map((key) => {
    const item = object[key]
    return [names.get(key) ?? key, item === undefined ? item : withKeys(item, names)] as const
  })
  return Object.fromEntries(entries)
}
