import type { JsonObject } from '@homeward/contract/agent-platform'
import type { Tool, ToolContext } from '../../ports/tool.ts'
import { RuntimeError } from '../../ports/runtime-error.ts'
import { createRedactor } from '../../secrets/redact.ts'
import { resolveCommand } from '../../skills/definitions/check-tool-files.ts'
import { withoutUserSite } from '../../skills/definitions/interpreters.ts'
import type { LoadedSkill } from '../../skills/skill-library.ts'
import type { ExecToolDefinition } from '../../skills/definitions/tool-definition.ts'
import { findCredential } from '../../skills/find-credential.ts'
import { skillFolder } from '../skill-folder.ts'
import type { SkillToolContext } from '../skill-tool-context.ts'
import { toToolHead } from '../to-tool-head.ts'
import { openWorkspace } from '../workspace/workspace.ts'
import { toArguments } from './exec-arguments.ts'
import { isNotInstalled } from './exec-limits.ts'
import { toExecResult } from './exec-result.ts'
import { findKeyPlaces } from './find-key-places.ts'
import { runProcess } from './run-process.ts'
import type { ProcessOutcome } from './run-process.ts'
import type { SandboxedCommand } from './sandbox.ts'
import { checkWorkspacePaths } from './workspace-paths.ts'

/** A tool that runs a program of its skill (A16). Its output counts as untrusted: it may come from any file. */
export function createExecTool(
  definition: ExecToolDefinition,
  skill: LoadedSkill,
  context: SkillToolContext,
): Tool {
  return {
    ...toToolHead(definition),
    settlesOnAbort: true,
    async call(args, call) {
      const workspace = openWorkspace(call.workspace)
      const checked = await checkWorkspacePaths(args, definition.parameters, workspace)
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
