import { describe, expect, it } from 'vitest'
import type { InboundFile } from '../../ports/channel.ts'
import { addressOf, failureOf, webhookRequest } from '../testing/platform-kit.ts'
import { getMeOnly, methodUrl, secrets, telegramChannel, token, updateWith } from './testing/telegram-kit.ts'

const proof = { 'X-Telegram-Bot-Api-Secret-Token': secrets[2] ?? '' }
const options = { signal: new AbortController().signal, maxBytes: 20 * 1024 * 1024 }

async function filesOf(changes: Record<string, unknown>): Promise<readonly InboundFile[] | undefined> {
  const update = updateWith('telegram-message-private.json', { text: undefined, ...changes })
  const received = await telegramChannel({ fetch: getMeOnly().fetch }).receive(webhookRequest(update, proof))
  return received.kind === 'message' ? received.message.files : undefined
}

const file = { file_id: 'F1', file_unique_id: 'U1', file_size: 3000 }

describe('A1: files of Telegram messages', () => {
  it.each([
    [
      'photo',
      [
        { ...file, file_id: 'small', width: 9, height: 9 },
        { ...file, width: 90, height: 90 },
      ],
      'picture',
    ],
    ['document', { ...file, file_name: 'a.pdf', mime_type: 'application/pdf' }, 'document'],
    ['audio', { ...file, mime_type: 'audio/mpeg', title: 'Song' }, 'sound'],
    ['voice', { ...file, mime_type: 'audio/ogg', duration: 3 }, 'voice message'],
    ['video', { ...file, mime_type: 'video/mp4' }, 'video'],
    ['video_note', file, 'video'],
    ['sticker', { ...file, is_animated: false, is_video: false, emoji: '!' }, 'sticker'],
    ['sticker', { ...file, file_id: 'moves', is_video: true, thumbnail: file }, 'sticker'],
  ])('are read: %s', async (name, value, kind) => {
    expect(await filesOf({ [name]: value })).toMatchObject([
      { kind, reference: { file_id: 'F1' }, bytes: 3000 },
    ])
  })

  it('are not asked for if Telegram gives them to no bot', async () => {
    const files = await filesOf({ document: { ...file, file_name: 'film.mkv', file_size: 30_000_000 } })
    expect(files).toEqual([
      { kind: 'document', name: 'film.mkv', bytes: 30_000_000, problem: expect.stringContaining('20 MB') },
    ])
    expect(await filesOf({ sticker: { ...file, is_animated: true } })).toMatchObject([
      { problem: expect.any(String) },
    ])
    expect(await filesOf({})).toBeUndefined()
  })

  it('are loaded from where the methods are called', async () => {
    const asked: string[] = []
    const channel = telegramChannel({
      async fetch(input) {
        asked.push(addressOf(input))
        if (asked.length > 1)
          return new Response(Uint8Array.of(1, 2), { headers: { 'content-type': 'image/jpeg' } })
        return Response.json({ ok: true, result: { file_id: 'F1', file_path: 'photos/a b#1.jpg' } })
      },
    })
    const loaded = await channel.loadFile?.({ file_id: 'F1' }, options)
    expect(loaded).toEqual({ content: Uint8Array.of(1, 2), mediaType: 'image/jpeg' })
    expect(asked).toEqual([
      methodUrl('getFile'),
      `https://api.telegram.org/file/bot${token}/photos/a%20b%231.jpg`,
    ])
  })

  it.each([
    ['a path out of it', { ok: true, result: { file_path: '../../other' } }, 1, 'permanent'],
    ['an absolute path', { ok: true, result: { file_path: '/var/lib/file' } }, 1, 'permanent'],
    ['no path', { ok: true, result: {} }, 1, 'permanent'],
    [
      'a refusal',
      { ok: false, error_code: 400, description: 'Bad Request: file is too big' },
      1,
      'permanent',
    ],
    ['a redirect', { ok: true, result: { file_path: 'a.jpg' } }, 2, 'permanent'],
  ])('give an error that shows no token: %s', async (_, answer, calls, code) => {
    let count = 0
    const channel = telegramChannel({
      async fetch() {
        count += 1
        if (count === 1) return Response.json(answer)
        return new Response(null, { status: 302, headers: { location: 'https://other.test/' } })
      },
    })
    const failure = await failureOf(channel.loadFile!({ file_id: 'F1' }, options), secrets)
    expect(failure.code).toBe(code)
    expect(count).toBe(calls)
  })
})
