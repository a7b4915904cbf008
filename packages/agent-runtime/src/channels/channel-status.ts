import type { ChannelStatus, Settings, SettingKey } from '@homeward/contract/agent-platform'
import type { RuntimeStore } from '../store/ports/runtime-store.ts'
import type { ChannelProbe, PollState } from '../ports/channel.ts'
import type { StoredSender } from '../store/ports/channel-sender.ts'
import { toAccessPolicy } from './access/access-policy.ts'
import { accessWarnings } from './access/access-warnings.ts'
import type { ActiveChannel } from './channel-set.ts'
import { missingOf } from './channel-set.ts'
import { platformOf } from './platform-of.ts'
import { agentProblem, type JudgeOptions } from './inbox/judge-message.ts'

/** What a status is made of. */
interface StatusContext {
  readonly settings: Settings
  /** Absent when the channel is not set up. */
  readonly active: ActiveChannel | undefined
  /** How asking for messages goes, when this process asks. */
  readonly poll: PollState | undefined
  readonly findAgent: JudgeOptions['findAgent']
  /** Senders that are stored. */
  readonly senders: readonly StoredSender[]
  readonly counts: Awaited<ReturnType<RuntimeStore['countChannelMessages']>>
  /** What the platform said just now. */
  readonly probe: ChannelProbe | undefined
  /** That the last webhook request was refused, and why. */
  readonly refusal: string | undefined
}

/** Says what a person has to know about a channel. Holds no secret. */
export async function toChannelStatus(id: string, context: StatusContext): Promise<ChannelStatus> {
  const { settings, active, poll, probe, counts, refusal, findAgent, senders } = context
  const policy = active?.policy ?? toAccessPolicy({ id }, settings)
  const missing = missingOf(id, settings)
  const problem = active && (await agentProblem(id, active.agentId, findAgent))
  const faults = [
    ...(missing.length > 0 ? [`The channel is not set up. Set ${missing.join(' and ')}.`] : []),
    ...(problem === undefined ? [] : [problem]),
    ...(poll?.warning === undefined ? [] : [poll.warning]),
  ]
  const warnings = [
    ...faults,
    ...(probe?.warnings ?? []),
    ...(refusal === undefined ? [] : [refusal]),
    ...(active ? accessWarnings(id, policy, senders) : []),
    ...besides(id, settings, counts),
  ]
  return {
    channel: id,
    platform: platformOf(id),
    configured: active !== undefined,
    missing: [...missing],
    ok: active !== undefined && faults.length === 0 && probe?.ok !== false,
    mode: modeOf(active, poll, probe),
    ...(probe?.webhookUrl !== undefined && { webhook_url: probe.webhookUrl }),
    ...(probe?.identity !== undefined && { identity: probe.identity }),
    ...(active?.agentId !== undefined && { default_agent_id: active.agentId }),
    access: policy.access,
    group_access: policy.groupAccess,
    warnings: [...new Set(warnings)],
    probed: probe !== undefined,
    messages: { ...counts },
  }
}

function modeOf(
  active: ActiveChannel | undefined,
  poll: PollState | undefined,
  probe: ChannelProbe | undefined,
): ChannelStatus['mode'] {
  if (!active) return 'none'
  if (!active.channel.poll || probe?.webhookUrl !== undefined) return 'webhook'
  return poll?.mode ?? 'polling'
}

function besides(id: string, settings: Settings, { failed, uncertain }: StatusContext['counts']): string[] {
  const isOpen = settings[`${id}_webhook_verify` as SettingKey] === 'off'
  const list = `See GET /api/channels/${id}/messages?status=`
  return [
    ...(isOpen
      ? [`Anyone can send messages in the name of others: ${id}_webhook_verify is off. Set it to on.`]
      : []),
    ...(uncertain > 0
      ? [`${uncertain} answers may not have been delivered. ${list}uncertain, and resolve them.`]
      : []),
    ...(failed > 0 ? [`${failed} answers could not be delivered. ${list}failed, and resolve them.`] : []),
  ]
}
