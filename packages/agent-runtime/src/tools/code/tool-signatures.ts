import { isJsonObject } from '../../json/json-object.ts'
import type { Json, JsonObject } from '@homeward/contract/agent-platform'
import type { Tool } from '../../ports/tool.ts'

/** Characters of all signatures. Tools beyond that are named only: the prompt has their schemas anyway. */
const maxChars = 6000
const maxTypeChars = 400
const maxDepth = 4
const maxChoices = 12

/** Writes the functions that a program can call, one a line, with the types of their arguments as TypeScript has them. */
export function toSignatures(tools: readonly Tool[]): string {
  const lines: string[] = []
  let left = maxChars
  for (const { id, inputSchema } of tools) {
    const type = left > 0 ? cutType(toType(inputSchema as JsonObject, 0)) : '' // a JSON Schema is JSON
    const line = `${toAccess(id)}(${type === '' || type === '{}' ? '' : type})`
    left -= line.length
    lines.push(line)
  }
  return lines.join('\n')
}

/** How a program names the function of a tool. */
const toAccess = (id: string): string =>
  /^[A-Za-z_$][\w$]*$/.test(id) ? `tools.${id}` : `tools[${JSON.stringify(id)}]`

const cutType = (type: string): string => (type.length > maxTypeChars ? 'object' : type)

function toType(schema: Json | undefined, depth: number): string {
  if (!isJsonObject(schema) || depth > maxDepth) return 'unknown'
  const { const: only, enum: choices, anyOf, oneOf, type } = schema
  if (only !== undefined) return JSON.stringify(only)
  if (Array.isArray(choices)) return toUnion(choices.map((choice) => JSON.stringify(choice)))
  const ways = anyOf ?? oneOf
  if (Array.isArray(ways)) return toUnion(ways.map((way) => toType(way, depth + 1)))
  if (Array.isArray(type)) return toUnion(type.map((one) => toType({ ...schema, type: one }, depth + 1)))
  if (type === 'array') return `${toType(schema['items'], depth + 1)}[]`
  if (type === 'object' || schema['properties'] !== undefined) return toObjectType(schema, depth)
  if (type === 'integer') return 'number'
  return typeof type === 'string' ? type : 'unknown'
}

function toUnion(types: readonly string[]): string {
  const different = [...new Set(types)]
  return different.length > maxChoices ? 'string' : different.join(' | ')
}

function toObjectType(schema: JsonObject, depth: number): string {
  const { properties, required } = schema
  if (!isJsonObject(properties)) return 'object'
  const needed = new Set(Array.isArray(required) ? required : [])
  const fields = Object.entries(properties).map(([name, field]) => {
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)
    return `${key}${needed.has(name) ? '' : '?'}: ${toType(field, depth + 1)}`
  })
  return fields.length === 0 ? '{}' : `{ ${fields.join('; ')} }`
}
