import type { JsonObject } from '@homeward/contract/agent-platform'
import * as z from 'zod/mini'
import type {
  InboundFile,
  LoadedFile,
  LoadFileOptions,
  OutboundFile,
  ReplyTarget,
  SendOptions,
} from '../../ports/channel.ts'
import { callPlatform, toChannelError } from '../call-platform.ts'
import { ChannelError } from '../channel-error.ts'
import { downloadFile, toFileUrl } from '../files/download-file.ts'
import { toBytes, uploadTimeoutMs } from '../files/file-form.ts'
import { kindOfType } from '../files/kind-of-type.ts'
import type { SlackApi } from './slack-api.ts'
import type { SlackEvent, SlackFile } from './slack-event.ts'

/** The files of a message. */
export function filesOfSlack({ files }: SlackEvent): InboundFile[] {
  return (files ?? []).map(toFile)
}

function toFile(file: SlackFile): InboundFile {
  const { name, mimetype, size } = file
  const url = file.url_private_download || file.url_private
  const isThere =
    !!url &&
    file.is_external !== true &&
    !['tombstone', 'hidden_by_limit', 'external'].includes(file.mode ?? '')
  return {
    kind: file.subtype === 'slack_audio' ? 'voice message' : kindOfType(mimetype),
    ...(name && { name }),
    ...(mimetype && { mediaType: mimetype }),
    ...(typeof size === 'number' && { bytes: size }),
    ...(isThere
      ? { reference: { url, ...(mimetype && { media_type: mimetype }) } }
      : { problem: 'Slack does not provide it to the app' }),
  }
}

const what = 'Slack file'

/** Downloads a file with the token of the bot, which goes to Slack's own hosts only. @throws {ChannelError} */
export async function loadSlackFile(
  api: SlackApi,
  { url, media_type: expected }: JsonObject,
  options: LoadFileOptions,
): Promise<LoadedFile> {
  const { token, fetch, apiBase } = api.connection
  const address = toFileUrl(what, url, { hosts: ['files.slack.com'], apiBase })
  const headers = { authorization: `Bearer ${token}` }
  const loaded = await downloadFile({ what, url: address, headers, fetch, secrets: [token] }, options)
  // without the scope, Slack sends its page to sign in
  if (loaded.mediaType === 'text/html' && expected !== 'text/html') {
    const fix = 'Add the scope files:read under OAuth & Permissions and install the app again.'
    throw new ChannelError('auth', `${what} failed: Slack sent a sign-in page. ${fix}`)
  }
  return loaded
}

const Place = z.object({ channel: z.string(), thread_ts: z.optional(z.string()) })
const Upload = z.object({ upload_url: z.string(), file_id: z.string() })
const upload = 'Slack file upload'

/** Uploads a file and shares it: nothing is to be seen before the last of three calls. @throws {ChannelError} */
export async function sendSlackFile(
  api: SlackApi,
  { data }: ReplyTarget,
  file: OutboundFile,
  { signal }: Pick<SendOptions, 'signal'>,
): Promise<{ id?: string }> {
  const place = Place.safeParse(data)
  if (!place.success)
    throw new ChannelError('permanent', `${upload} failed: the incoming message does not name a channel.`)
  const about = { filename: file.name, length: file.content.length }
  const begun = Upload.safeParse((await api.call('files.getUploadURLExternal', about, { signal })).json)
  if (!begun.success)
    throw new ChannelError(
      'temporary',
      `${upload} failed: Slack returned no upload address. Try again later.`,
    )
  const { upload_url, file_id } = begun.data
  const { fetch, apiBase } = api.connection
  const url = toFileUrl(upload, upload_url, { hosts: ['files.slack.com'], apiBase })
  // the address is signed: the token stays here
  const call = {
    what: upload,
    url,
    body: toBytes(file),
    isRepeatable: true,
    timeoutMs: uploadTimeoutMs,
    signal,
    fetch,
  }
  const reply = await callPlatform(call)
  if (reply.status !== 200) throw toChannelError(reply, call)
  const { channel, thread_ts } = place.data
  const shared = {
    channel_id: channel,
    ...(thread_ts && { thread_ts }),
    files: [{ id: file_id, title: file.name }],
  }
  await api.call('files.completeUploadExternal', shared, { signal })
  return { id: file_id }
}
