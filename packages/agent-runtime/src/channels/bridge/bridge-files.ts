import { FileBytes, maxFiles, type JsonObject } from '@homeward/contract/agent-platform'
import type { InboundFile, LoadedFile, LoadFileOptions } from '../../ports/channel.ts'
import { ChannelError } from '../channel-error.ts'
import { downloadFile } from '../files/download-file.ts'
import { kindOfType } from '../files/kind-of-type.ts'
import { fieldsOf, isTrue, nameOf, type Fields } from './bridge-body.ts'
import type { BridgeAddress } from './send-bridge.ts'

/** Files that come along: `[{name?, media_type, data}]`, with `data` in base64. */
export function readFiles(value: unknown): InboundFile[] {
  if (!Array.isArray(value)) return []
  return value.map((each: unknown, index): InboundFile => {
    const { name, media_type, data } = fieldsOf(each)
    const about = toAbout(nameOf(name), nameOf(media_type))
    // those beyond the limit are only counted
    if (index >= maxFiles) return about
    const bytes = FileBytes.safeParse(data)
    if (bytes.success) return { ...about, bytes: bytes.data.length, content: bytes.data }
    return { ...about, problem: `its data ${bytes.error.issues[0]?.message ?? 'is invalid'}` }
  })
}

/** Attachments of signal-cli, which signal-cli-rest-api stores under their ids. */
export function readSignalFiles(message: Fields): InboundFile[] {
  const attachments: unknown[] = Array.isArray(message.attachments) ? message.attachments : []
  const files = attachments.map((each): InboundFile => {
    const attachment = fieldsOf(each)
    const name = nameOf(attachment.filename)
    const about = toAbout(name, nameOf(attachment.contentType))
    const id = nameOf(attachment.id)
    return {
      ...about,
      // what was recorded has no name
      ...(about.kind === 'voice message' && name && !isTrue(attachment.voiceNote) && { kind: 'sound' }),
      ...(typeof attachment.size === 'number' && { bytes: attachment.size }),
      ...(id ? { reference: { attachment: id } } : { problem: 'its id is missing' }),
    }
  })
  if ('sticker' in message)
    files.push({ kind: 'sticker', problem: 'the bridge does not provide the picture' })
  return files
}

const whatsappKinds = {
  image: 'picture',
  video: 'video',
  video_note: 'video',
  audio: 'voice message',
  document: 'document',
  sticker: 'sticker',
} as const

/** A file of go-whatsapp-web-multidevice: the path of what it has downloaded, or an object with it. */
export function readWhatsappFiles(payload: Fields): {
  readonly files: InboundFile[]
  readonly caption?: string
} {
  let caption: string | undefined
  const files = Object.entries(whatsappKinds).flatMap(([field, kind]): InboundFile[] => {
    const value = payload[field]
    if (value === undefined || value === null) return []
    const media = fieldsOf(value)
    caption ??= nameOf(media.caption)
    const path = nameOf(value, media.media_path, media.path)
    const name = nameOf(media.filename, media.file_name)
    const mediaType = nameOf(media.mime_type)
    return [
      {
        kind,
        ...(name && { name }),
        ...(mediaType && { mediaType }),
        ...(path ? { reference: { path } } : { problem: 'the bridge has not downloaded it' }),
      },
    ]
  })
  return { files, ...(caption && { caption }) }
}

/** Downloads a file that the bridge has stored, from the bridge. @throws {ChannelError} */
export async function loadBridgeFile(
  { base, secret, fetch }: BridgeAddress,
  { attachment, path }: JsonObject,
  options: LoadFileOptions,
): Promise<LoadedFile> {
  const what = 'Bridge file'
  const parts = typeof attachment === 'string' ? [attachment] : (nameOf(path) ?? '').split('/')
  // a part of the address, and no way out of it
  if (parts.some((part) => /^\.{0,2}$/.test(part)))
    throw new ChannelError(
      'permanent',
      `${what} failed: its path points outside the bridge. Check the bridge.`,
    )
  const place = typeof attachment === 'string' ? `${base.replace(/\/v\d+$/, '')}/v1/attachments` : base
  const headers = secret ? { authorization: `Bearer ${secret}` } : {}
  const url = `${place}/${parts.map(encodeURIComponent).join('/')}`
  return downloadFile({ what, url, headers, fetch, secrets: [secret] }, options)
}

/** What is known of a file by its type. Sound in a messenger is nearly always a voice message. */
function toAbout(name: string | undefined, mediaType: string | undefined): InboundFile {
  const kind = kindOfType(mediaType)
  return {
    kind: kind === 'sound' ? 'voice message' : kind,
    ...(name && { name }),
    ...(mediaType && { mediaType }),
  }
}
