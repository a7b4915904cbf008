import type { JsonObject, Json } from '@homeward/contract/agent-platform'
import type { Tool, ToolContext } from '../../ports/tool.ts'
import { RuntimeError } from '../../ports/runtime-error.ts'
import { createRedactor, type Redactor } from '../../secrets/redact.ts'
import { resolveCommand } from '../../skills/definitions/check-tool-files.ts'
import { withoutUserSite } from '../../skills/definitions/interpreters.ts'
import type { LoadedSkill } from '../../skills/skill-library.ts'
import type { ExecToolDefinition } from '../../skills/definitions/tool-definition.ts'
import { findCredential } from '../../skills/find-credential.ts'
import { skillFolder } from '../skill-folder.ts'
import type { SkillToolContext } from '../skill-tool-context.ts'
import { toToolHead } from '../to-tool-head.ts'
import { openWorkspace, type Workspace } from '../workspace/workspace.ts'
import { toArguments } from './exec-arguments.ts'
import { isNotInstalled } from './exec-limits.ts'
import { runProcess, type ProcessOutcome } from './run-process.ts'
import type { SandboxedCommand } from './sandbox.ts'
import { realpath } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { isJsonObject } from '../../json/json-object.ts'
import { type Rules, rulesOf, rulesOfItem, rulesOfProperty } from '../../skills/definitions/schema-rules.ts'
import { parseJson } from '../../json/parse-json.ts'
import { isDeep } from '../../json/to-json.ts'
import type { BoundedText } from './bounded-output.ts'

/** A tool that runs a program of its skill (A16). Its output counts as untrusted: it may come from any file. */
export function createExecTool(
  definition: ExecToolDefinition,
  skill: LoadedSkill,
  context: SkillToolContext,
): Tool {
  return {
    ...toToolHead(definition),
    settlesOnAbort: true,
    async execute(args, call) {
      const workspace = openWorkspace(call.workspace)
      const checked = await checkWorkspacePaths(args, definition.inputSchema, workspace)
      const { environment, secrets } = environmentOf(definition, call.workspace, context)
      const startedAt = context.now()
      const request = {
        ...(await commandOf(definition, skill, checked, call, context)),
        environment,
        cwd: call.workspace,
        ownFolder: call.workspace,
        ...(definition.stdin === 'json' ? { input: JSON.stringify(checked) } : {}),
        timeoutMs: definition.timeoutMs,
        maxOutputBytes: definition.maxOutputBytes,
        signal: call.signal,
      }
      const outcome = await run(definition, request, context)
      return toExecResult(outcome, {
        maxOutputBytes: definition.maxOutputBytes,
        output: definition.output,
        maxResultBytes: context.maxResultBytes,
        redactor: createRedactor(secrets),
        durationMs: context.now() - startedAt,
      })
    },
  }
}

async function commandOf(
  definition: ExecToolDefinition,
  skill: LoadedSkill,
  args: JsonObject,
  call: ToolContext,
  context: SkillToolContext,
): Promise<SandboxedCommand> {
  const folder = await skillFolder(skill)
  const command = withoutUserSite(await resolveCommand(definition, folder))
  const base = 'url' in context.base ? context.base.url.href.replace(/\/$/, '') : undefined
  const argv = [...context.limits, ...command, ...toArguments(definition.args, args, base)]
  const { sandbox } = context.sandbox
  if (context.sandboxMode === 'off' || sandbox === undefined) return { command: argv, wrappers: 0 }
  return sandbox.wrap({
    command: argv,
    workspace: call.workspace,
    readable: [folder],
    hidden: [context.home, ...(await findKeyPlaces())],
    network: definition.network.length > 0,
  })
}

/** PATH, LANG, HOME and what the tool names, as far as it may have it. */
function environmentOf(definition: ExecToolDefinition, workspace: string, context: SkillToolContext) {
  const environment: Record<string, string> = {
    PATH: context.environment['PATH'] ?? '/usr/local/bin:/usr/bin:/bin',
    LANG: context.environment['LANG'] ?? 'C.UTF-8',
    HOME: workspace,
  }
  const secrets: string[] = []
  for (const name of definition.env) {
    if (name in environment) continue
    const value = findCredential(name, context)
    if (value === undefined) continue
    environment[name] = value
    secrets.push(value)
  }
  return { environment, secrets }
}

/** Runs the program. It is under way until all of it has ended, also after an abort. */
async function run(
  { id }: ExecToolDefinition,
  request: Parameters<typeof runProcess>[0],
  { underWay, limits }: SkillToolContext,
): Promise<ProcessOutcome> {
  const running = runProcess(request)
  underWay.add(running)
  try {
    const outcome = await running
    if (isNotInstalled(limits, outcome)) throw Object.assign(new Error('not found'), { code: 'ENOENT' })
    return outcome
  } catch (cause) {
    if (request.signal?.aborted === true) throw cause
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown'
    const reason =
      code === 'ENOENT' ? 'its program is not installed' : `its program cannot be started (${code})`
    throw new RuntimeError('run_error', `Running the tool "${id}" failed: ${reason}.`, { cause })
  } finally {
    underWay.delete(running)
  }
}

const names = [
  '.ssh',
  '.gnupg',
  '.aws',
  '.azure',
  '.kube',
  '.docker',
  '.config/gcloud',
  '.netrc',
  '.npmrc',
  '.git-credentials',
]

/**
 * Where people keep keys, as far as it is there. Hidden besides the data home, for a script without network may still
 * print them.
 *
 * Real paths: who manages these by links has the keys elsewhere, bubblewrap mounts over no absolute link, and macOS
 * knows files by their real paths only.
 */
export async function findKeyPlaces(home = homedir()): Promise<string[]> {
  const found = await Promise.all(names.map((name) => realpath(join(home, name)).catch(() => undefined)))
  return [...new Set(found.filter((path) => path !== undefined))]
}

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

/** What a result is made with. */
interface ExecResultOptions extends Pick<ExecToolDefinition, 'maxOutputBytes' | 'output'> {
  readonly redactor: Redactor
  readonly durationMs: number
  /** Largest result of any tool, in bytes: what is larger would be cut in the midst of its fields. */
  readonly maxResultBytes: number
}

/** What the model is given of a program's end (A16): both streams share the limit. */
export function toExecResult(outcome: ProcessOutcome, options: ExecResultOptions): Json {
  const { exitCode, stdout, stderr, timedOut } = outcome
  const { redactor, durationMs, maxResultBytes, output } = options
  const maxBytes = Math.min(options.maxOutputBytes, maxResultBytes)
  // of a long stdout as much gives way as leaves an error message room
  const said = stderr.text(Math.max(maxBytes - stdout.bytes, Math.floor(maxBytes / 4)))
  const written = stdout.text(maxBytes - Buffer.byteLength(said.text))
  const result = {
    ok: exitCode === 0 && !timedOut,
    exitCode,
    stdout: redactor.text(written.text, written.truncated),
    stderr: redactor.text(said.text, said.truncated),
    truncated: written.truncated || said.truncated,
    timedOut,
    durationMs: Math.max(0, Math.round(durationMs)),
  }
  if (output === 'text') return result
  const data = parseJson(result.stdout)
  if (data === undefined) return { ...result, ok: false, error: noJson(written) }
  // what it wrote stays, as text
  if (isDeep({ data })) return { ...result, ok: false, error: tooDeep }
  const bytes = Buffer.byteLength(result.stdout) * 2 + Buffer.byteLength(result.stderr)
  // the text says the same again: where there is no room for both, it gives way
  return { ...result, ...(bytes > maxResultBytes && { stdout: '' }), data: redactor.json(data) }
}

const tooDeep = 'the JSON output of the program is nested too deeply'

const noJson = ({ truncated }: BoundedText): string =>
  truncated
    ? 'the output of the program was cut because it is too long, so it is not complete JSON'
    : 'the standard output of the program is not JSON'
