import * as z from 'zod/mini'
import { parseRetryAfter } from '@homeward/kit'
import { redactSecrets, type PlatformReply } from '../call-platform.ts'
import type { ChannelErrorCode } from '../../ports/channel.ts'
import { ChannelError } from '../channel-error.ts'

/** Slack answers HTTP 200 for most refusals: `ok` decides. */
export const SlackAnswer = z.object({
  ok: z.boolean(),
  error: z.optional(z.string()),
  /** The scope that is missing. */
  needed: z.optional(z.string()),
})

// maps, not objects: an answer may name anything, and every object has a `constructor`
const codes: ReadonlyMap<string, ChannelErrorCode> = new Map([
  ...toEach('rate_limited', 'ratelimited rate_limited message_limit_exceeded'),
  ...toEach('auth', 'invalid_auth not_authed account_inactive token_revoked token_expired no_permission'),
  ...toEach(
    'auth',
    'missing_scope not_allowed_token_type org_login_required ekm_access_denied access_denied',
  ),
  ...toEach(
    'auth',
    'team_access_not_granted enterprise_is_restricted accesslimited two_factor_setup_required',
  ),
  ...toEach('gone', 'channel_not_found not_in_channel is_archived user_not_found team_not_found'),
  ...toEach('too_long', 'msg_too_long msg_blocks_too_long'),
  // what surely was not done; what follows may have been done in part
  ...toEach('temporary', 'service_unavailable team_added_to_org request_timeout'),
  ...toEach('uncertain', 'internal_error fatal_error'),
])

const advice: ReadonlyMap<string, string> = new Map([
  ['not_in_channel', 'Invite the app: write /invite and its name in the channel.'],
  ['channel_not_found', 'The app cannot see the channel. If the channel still exists, invite the app to it.'],
  ['messages_tab_disabled', 'Turn on the Messages Tab under App Home in the settings of the app.'],
  ['missing_scope', 'Add the scope under OAuth & Permissions and install the app again.'],
])

/** What an answer that is no success means. Holds neither the token nor what was sent. */
export function toSlackError(
  reply: PlatformReply,
  call: {
    readonly what: string
    readonly isRepeatable: boolean
    readonly secrets: readonly string[]
    readonly nowMs: number
  },
): ChannelError {
  const { status, headers } = reply
  const answer = SlackAnswer.safeParse(reply.json)
  const name = answer.success ? toName(answer.data.error) : undefined
  let code: ChannelErrorCode = codeOf(status, name)
  if (code === 'uncertain' && call.isRepeatable) code = 'temporary'
  const said =
    name ??
    `the response (HTTP ${status}) is not a Slack API response. Check channel_b_api_base and the network`
  const needed = answer.success && toName(answer.data.needed)
  const scope = name === 'missing_scope' && needed ? ` (${needed})` : ''
  const retryAfterMs = parseRetryAfter(headers.get('retry-after'), call.nowMs)
  return new ChannelError(
    code,
    redactSecrets(
      [`${call.what} failed: ${said}${scope}.`, ...adviceFor(name, code)].join(' '),
      call.secrets,
    ),
    code === 'rate_limited' && retryAfterMs !== undefined ? { retryAfterMs } : {},
  )
}

function codeOf(status: number, name: string | undefined): ChannelErrorCode {
  if (status === 429) return 'rate_limited'
  const known = name === undefined ? undefined : codes.get(name)
  if (known !== undefined) return known
  if (status >= 500 || status === 408) return 'uncertain'
  if (name !== undefined) return 'permanent'
  return status >= 400 ? 'permanent' : 'uncertain'
}

function adviceFor(name: string | undefined, code: ChannelErrorCode): string[] {
  const known = name === undefined ? undefined : advice.get(name)
  if (known !== undefined) return [known]
  if (code === 'auth')
    return ['Check channel_b_bot_token. OAuth & Permissions shows it; it starts with xoxb-.']
  return code === 'uncertain' ? ['The message may or may not have arrived.'] : []
}

/** Only what looks like the name of an error or a scope goes into an error of ours. */
function toName(said: string | undefined): string | undefined {
  if (said === undefined) return undefined
  return /^[a-z][a-z0-9_:.,]{0,99}$/.test(said) ? said : 'unknown error'
}

function toEach(code: ChannelErrorCode, names: string): [string, ChannelErrorCode][] {
  return names.split(' ').map((name) => [name, code])
}
