import * as z from 'zod/mini'
import type { Operation } from '../operation.ts'
import {
  ChannelMessage,
  ChannelMessageDecision,
  ChannelMessageQuery,
  ChannelName,
  ChannelStatus,
  WebhookRequest,
} from './channel.ts'
import { PageCursor, PlatformId } from './values.ts'

const byChannel = z.object({ channel: ChannelName })

/** The messaging channels (A1). */
export const channelOperations = {
  receiveChannelWebhook: {
    method: 'POST',
    path: '/api/channels/{channel}/webhook',
    auth: 'webhook',
    summary: "Takes a message or an event of a platform, proven by the platform's own signature.",
    source: 'Channels; A1, A19',
    params: byChannel,
    reply: 'platform',
    errors: [404, 413, 503],
  },
  getChannelStatus: {
    method: 'GET',
    path: '/api/channels/{channel}/status',
    auth: 'local',
    summary: 'Says whether a channel is set up and works; with `probe` asks the platform.',
    source: 'Channels; A1',
    params: byChannel,
    query: z.object({ probe: z.optional(z.enum(['true', 'false', '1', '0'])) }),
    reply: ChannelStatus,
    errors: [404],
  },
  setChannelWebhook: {
    method: 'POST',
    path: '/api/channels/{channel}/set-webhook',
    auth: 'local',
    summary: 'Registers the webhook of this server with the platform: channels a, c and e.',
    source: 'Channels; A1',
    params: byChannel,
    body: WebhookRequest,
    reply: z.object({ ok: z.literal(true), webhook_url: z.string() }),
    errors: [404, 409, 502],
  },
  listChannelMessages: {
    method: 'GET',
    path: '/api/channels/{channel}/messages',
    auth: 'local',
    summary: 'Lists messages that came in through a channel and what became of their answers, newest first.',
    source: 'A1',
    params: byChannel,
    query: ChannelMessageQuery,
    reply: z.object({ messages: z.array(ChannelMessage), next_cursor: z.optional(PageCursor) }),
    errors: [404],
  },
  resolveChannelMessage: {
    method: 'POST',
    path: '/api/channels/{channel}/messages/{id}/resolve',
    auth: 'local',
    summary: 'Decides about an answer that failed or of which nobody can tell whether it arrived.',
    source: 'A1',
    params: z.object({ channel: ChannelName, id: PlatformId }),
    body: ChannelMessageDecision,
    reply: z.object({ ok: z.literal(true), message: ChannelMessage }),
    errors: [404, 409],
  },
} as const satisfies Record<string, Operation>
