import type { Json, JsonObject } from '@homeward/contract/agent-platform'
import { isJsonObject } from '../../json/json-object.ts'
import type { Workspace } from '../workspace/workspace.ts'

const format = 'workspace-path'

/**
 * Arguments with every `format: workspace-path` checked and written without detours. A path that begins with `-` gets
 * `./` before it, so that no program takes it for an option.
 *
 * @throws {RuntimeError} `validation_error` for a path that leads out of the workspace.
 */
export async function checkWorkspacePaths(
  args: JsonObject,
  schema: JsonObject,
  workspace: Workspace,
): Promise<JsonObject> {
  const checked = await checkValue(args, schema, workspace)
  return isJsonObject(checked) ? checked : args
}

async function checkValue(value: Json, schema: Json | undefined, workspace: Workspace): Promise<Json> {
  if (!isJsonObject(schema)) return value
  if (typeof value === 'string' && schema['format'] === format) {
    const path = await workspace.check(value)
    return path.startsWith('-') ? `./${path}` : path
  }
  if (Array.isArray(value)) {
    return await Promise.all(value.map((entry) => checkValue(entry, schema['items'], workspace)))
  }
  if (!isJsonObject(value)) return value
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {}
  const entries = Object.entries(value).map(async ([name, entry]): Promise<[string, Json]> => {
    const own = Object.hasOwn(properties, name) ? properties[name] : schema['additionalProperties']
    return [name, await checkValue(entry, own, workspace)]
  })
  return Object.fromEntries(await Promise.all(entries))
}
