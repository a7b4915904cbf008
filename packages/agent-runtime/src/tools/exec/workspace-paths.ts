import type { Json, JsonObject } from '@homeward/contract/agent-platform'
import { isJsonObject } from '../../json/json-object.ts'
import { type Rules, rulesOf, rulesOfItem, rulesOfProperty } from '../../skills/definitions/schema-rules.ts'
import type { Workspace } from '../workspace/workspace.ts'

const format = 'workspace-path'

/**
 * Arguments with every `format: workspace-path` checked and written without detours, wherever the schema says it: in
 * lists and objects, in branches such as `anyOf`, behind a `$ref`. A path that begins with `-` gets `./` before it, so that
 * no program takes it for an option.
 *
 * @throws {RuntimeError} `validation_error` for a path that leads out of the workspace.
 */
export async function checkWorkspacePaths(
  args: JsonObject,
  schema: JsonObject,
  workspace: Workspace,
): Promise<JsonObject> {
  const checked = await checkValue(args, rulesOf(schema), workspace)
  return isJsonObject(checked) ? checked : args
}

async function checkValue(value: Json, rules: Rules, workspace: Workspace): Promise<Json> {
  if (typeof value === 'string' && rules.schemas.some((schema) => schema['format'] === format)) {
    const path = await workspace.check(value)
    return path.startsWith('-') ? `./${path}` : path
  }
  if (Array.isArray(value)) {
    const entries = value.map((entry, index) => checkValue(entry, rulesOfItem(rules, index), workspace))
    return await Promise.all(entries)
  }
  if (!isJsonObject(value)) return value
  const entries = Object.entries(value).map(async ([name, entry]): Promise<[string, Json]> => [
    name,
    await checkValue(entry, rulesOfProperty(rules, name), workspace),
  ])
  return Object.fromEntries(await Promise.all(entries))
}
