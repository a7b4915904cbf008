import type { Json, JsonObject } from '@homeward/contract/agent-platform'
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
  return isObject(checked) ? checked : args
}

async function checkValue(value: Json, schema: Json | undefined, workspace: Workspace): Promise<Json> {
  if (!isObject(schema)) return value
  if (typeof value === 'string' && schema['format'] === format) {
    const path = await workspace.check(value)
    return path.startsWith('-') ? `./${path}` : path
  }
  if (Array.isArray(value)) {
    return await Promise.all(value.map((entry) => checkValue(entry, schema['items'], workspace)))
  }
  if (!isObject(value)) return value
  const properties = isObject(schema['properties']) ? schema['properties'] : {}
  const entries = Object.entries(value).map(async ([name, entry]): Promise<[string, Json]> => {
    const own = Object.hasOwn(properties, name) ? properties[name] : schema['additionalProperties']
    return [name, await checkValue(entry, own, workspace)]
  })
  return Object.fromEntries(await Promise.all(entries))
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
