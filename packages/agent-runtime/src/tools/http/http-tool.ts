import type { Json, JsonObject } from '@homeward/contract/agent-platform'
import { parseJson } from '../../json/parse-json.ts'
import type { EffectContext, Tool } from '../../ports/tool.ts'
import { RuntimeError } from '../../ports/runtime-error.ts'
import { createRedactor, type Redactor } from '../../secrets/redact.ts'
import { isDeep } from '../../json/to-json.ts'
import type { LoadedSkill } from '../../skills/skill-library.ts'
import type { HttpToolDefinition } from '../../skills/definitions/tool-definition.ts'
import { findCredential } from '../../skills/find-credential.ts'
import { boundResult } from '../bound-result.ts'
import type { SkillToolContext } from '../skill-tool-context.ts'
import { toToolHead } from '../to-tool-head.ts'
import { isPlatform, originsAt, toAddressPolicy } from './base-address.ts'
import { buildRequest } from './build-request.ts'
import type { HttpCall } from './http-effects.ts'
import { decodeText } from './decode-text.ts'
import { maxListReplyBytes, summarizeList } from './summarize-list.ts'
import type { HttpReply } from './http-client.ts'

/** A tool that calls its skill's own service (A17). Its answers are untrusted content. */
export function createHttpTool(
  definition: HttpToolDefinition,
  skill: LoadedSkill,
  context: SkillToolContext,
): Tool {
  const { verify, undo } = definition
  const toCall = (args: JsonObject, about: EffectContext): HttpCall => ({
    definition,
    args,
    idempotencyKey: about.idempotencyKey,
    send: (request, values) => callService(request, values, skill, context, about),
  })
  return {
    ...toToolHead(definition),
    async execute(args, about) {
      const result = await callService(definition, args, skill, context, about)
      if (definition.list === undefined) return result
      const data = summarizeList(result.data, definition, args)
      return boundResult({ ...result, data }, context.maxResultBytes)
    },
    ...(verify && {
      verify: async (args, about) => (await loadEffects()).verifyCall(toCall(args, about), verify),
    }),
    ...(undo && {
      undo: async (args, result, about) => (await loadEffects()).undoCall(toCall(args, about), undo, result),
    }),
  }
}

const loadEffects = () => import('./http-effects.ts')

/** How a service replied: the result of an HTTP tool. */
export type ServiceReply = {
  readonly status: number
  readonly ok: boolean
  readonly data: Json
  readonly note?: string
  readonly truncated?: true
}

/** Sends the request of a tool, or of its `verify` or `undo`. @throws {RuntimeError} without a reply */
async function callService(
  definition: HttpToolDefinition,
  args: JsonObject,
  skill: LoadedSkill,
  context: SkillToolContext,
  { idempotencyKey, agentId, signal }: EffectContext,
): Promise<ServiceReply> {
  const { base, http, maxResultBytes, platformOrigins } = context
  const maxBytes = definition.list === undefined ? maxResultBytes : maxListReplyBytes
  if ('off' in base)
    throw new RuntimeError('run_error', `Calling the tool "${definition.id}" failed: ${base.off}.`)
  const { secrets, ...request } = buildRequest(definition, args, {
    base: base.url,
    idempotencyKey,
    agentId,
    credentialNames: skill.requiredEnv,
    findCredential: (name) => findCredential(name, context),
  })
  const own = originsAt(request.url, platformOrigins)
  if (isPlatform(request.url, own)) {
    throw new RuntimeError(
      'run_error',
      `Calling the tool "${definition.id}" failed: its address points to this server itself. Correct the base address.`,
    )
  }
  const reply = await http.send({
    ...request,
    method: definition.method,
    policy: toAddressPolicy(base.url, base.chosen, own),
    timeoutMs: definition.timeoutMs,
    maxBytes,
    signal,
  })
  return toResult(reply, createRedactor(secrets), maxBytes)
}

function toResult(reply: HttpReply, redactor: Redactor, maxBytes: number): ServiceReply {
  const { status, contentType, body } = reply
  const result = { status, ok: status >= 200 && status < 300 }
  const [type = ''] = contentType.toLowerCase().split(';')
  const decoded = isBinary(type) ? undefined : decodeText(reply, maxBytes)
  if (decoded === undefined) {
    return {
      ...result,
      data: null,
      note: `The response is not text: ${type || 'unknown type'}, ${body.length} bytes.`,
    }
  }
  const text = redactor.text(decoded.text, decoded.truncated)
  if (decoded.truncated) return { ...result, data: text, truncated: true }
  if (text === '') return { ...result, data: null }
  // whatever the type says: many services call their JSON text
  const data = parseJson(text)
  const isUsable = data !== undefined && !isDeep({ data })
  // once more: a text in JSON may have been written with escapes
  return { ...result, data: isUsable ? redactor.json(data) : text }
}

function isBinary(type: string): boolean {
  if (/^(image|audio|video|font)\//.test(type) && type !== 'image/svg+xml') return true
  return /^application\/(octet-stream|pdf|zip|gzip|x-tar|wasm|vnd\.(ms|openxml).*)$/.test(type)
}
