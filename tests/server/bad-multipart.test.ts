import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { textOf, type RawAnswer, type RawDevice } from '../wire/raw-client.ts'
import { exchange, openSocket, requestHead } from './raw-socket.ts'
import { runServer, type RunningServer } from './running-server.ts'
import { uploadedFiles } from './server-process.ts'

const path = '/api/devices/files/upload'
const multipart = { 'Content-Type': 'multipart/form-data; boundary=b' }

let running: RunningServer
let device: RawDevice
let requestId = ''
beforeAll(async () => {
  running = await runServer()
})
afterAll(() => running[Symbol.asyncDispose]())

async function ask(): Promise<void> {
  // A device of its own for each test, so that none of them meets the limit of uploads.
  device = await running.client.register()
  requestId = (await running.client.askForFile([device.id]))[0]!
}

const idPart = () => `--b\r\nContent-Disposition: form-data; name="requestId"\r\n\r\n${requestId}\r\n`
const filePart = (content = 'hello', disposition = 'filename="notes.txt"', more = '') =>
  `--b\r\nContent-Disposition: form-data; name="file"; ${disposition}\r\n${more}\r\n${content}\r\n`
const end = '--b--\r\n'

function send(
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = multipart,
): Promise<RawAnswer> {
  return running.client.send(path, { method: 'POST', headers: { ...device.headers, ...headers }, body })
}

/** The state without the marks that an attempt leaves: an upload that broke off may hold its lease. */
async function stateOfWork(): Promise<unknown> {
  const text = JSON.stringify(await running.state())
  return JSON.parse(text.replaceAll('"status":"uploading"', '"status":"pending"'))
}

describe('a form that is not the documented one', () => {
  const forms: readonly (readonly [name: string, body: () => string, message: string])[] = [
    ['an empty body', () => '', 'form'],
    ['no boundary in the body', () => 'hello', 'form'],
    ['no last boundary', () => idPart() + filePart(), 'form'],
    ['a file that was cut', () => idPart() + filePart().slice(0, -4), 'form'],
    ['no file and no error', () => idPart() + end, 'file'],
    [
      'a blank error and no file',
      () => `${idPart()}--b\r\nContent-Disposition: form-data; name="error"\r\n\r\n  \r\n${end}`,
      'file',
    ],
    ['no requestId', () => filePart() + end, 'requestId'],
    ['two files', () => idPart() + filePart() + filePart('other') + end, 'file'],
    ['two requestIds', () => idPart() + idPart() + filePart() + end, 'requestId'],
    ['a requestId behind the first and the file', () => idPart() + filePart() + idPart() + end, 'requestId'],
    [
      'a requestId that is too long',
      () =>
        `${filePart()}--b\r\nContent-Disposition: form-data; name="requestId"\r\n\r\n${'x'.repeat(200)}\r\n${end}`,
      'requestId',
    ],
    [
      'a text part that is too large',
      () => `--b\r\nContent-Disposition: form-data; name="requestId"\r\n\r\n${'x'.repeat(20_000)}\r\n${end}`,
      'body',
    ],
    [
      'huge headers of a part',
      () => idPart() + filePart('x', 'filename="a"', `X-Large: ${'x'.repeat(100_000)}\r\n`) + end,
      'header',
    ],
    [
      'too many headers of a part',
      () => idPart() + filePart('x', 'filename="a"', 'X-A: b\r\n'.repeat(1000)) + end,
      'header',
    ],
    [
      'too many parts',
      () =>
        `--b\r\nContent-Disposition: form-data; name="x"\r\n\r\n1\r\n`.repeat(40) +
        idPart() +
        filePart() +
        end,
      'parts',
    ],
    ['line feeds without carriage returns', () => (idPart() + filePart() + end).replaceAll('\r', ''), 'form'],
    [
      'a part without a name',
      () => `--b\r\nContent-Disposition: form-data\r\n\r\nx\r\n${idPart()}${end}`,
      '',
    ],
    [
      'a control character in a name',
      () => idPart() + filePart('x', 'filename="con\u0001.txt"') + end,
      'header',
    ],
    ['a boundary with text after it', () => idPart() + filePart('x\r\n--bad\r\n') + end, 'boundary'],
    ['parts after the last boundary', () => idPart() + filePart() + end + filePart() + end, 'last boundary'],
  ]
  it.each(forms)('is refused with 400 and leaves nothing behind: %s', async (_, body, message) => {
    await ask()
    const before = await stateOfWork()
    const answer = await send(body())
    expect([answer.status, answer.json]).toEqual([
      400,
      { error: 'Validation error', message: expect.stringContaining(message) },
    ])
    expect(await stateOfWork()).toEqual(before)
  })

  it('is taken when a name cannot be decoded, under the name of the request', async () => {
    await ask()
    const answer = await send(idPart() + filePart('x', "filename*=UTF-8''%zz") + end)
    expect([answer.status, answer.json]).toMatchObject([200, { fileName: 'notes.txt' }])
  })

  it('is refused without a boundary in its content type', async () => {
    await ask()
    const answer = await running.unchangedBy(() =>
      send(idPart() + filePart() + end, { 'Content-Type': 'multipart/form-data' }),
    )
    expect([answer.status, answer.json]).toMatchObject([
      400,
      { message: expect.stringContaining('boundary') },
    ])
  })

  it('is refused for a request that is not there, or not for this device', async () => {
    await ask()
    const other = await running.client.register()
    const [foreign] = await running.client.askForFile([other.id])
    for (const id of [foreign!, 'nothing', '__proto__', '../../x']) {
      requestId = id
      for (const body of [idPart() + filePart() + end, filePart() + idPart() + end]) {
        const answer = await running.unchangedBy(() => send(body))
        expect([answer.status, answer.json]).toEqual([404, { error: 'Upload request not found' }])
      }
    }
  })

  it('C18: is refused with 413 where its length says that it is too large, before any of it is sent', async () => {
    await ask()
    await running.unchangedBy(async () => {
      const headers = { ...device.headers, ...multipart, 'Content-Length': String(200 * 1024 * 1024) }
      const answer = await exchange(
        running.server.port,
        requestHead(`POST ${path}`, running.server.port, headers),
      )
      expect([answer?.status, answer?.json]).toMatchObject([413, { error: 'Payload too large' }])
    })
  })

  it('a connection that is reset in the middle leaves no file, and the device may try again at once', async () => {
    await ask()
    for (const body of [idPart() + filePart('half'), filePart('half')]) {
      const socket = await openSocket(running.server.port)
      const headers = { ...device.headers, ...multipart, 'Content-Length': '9000000' }
      socket.write(requestHead(`POST ${path}`, running.server.port, headers) + body)
      socket.write(Buffer.alloc(500_000))
      await running.client.get('/api/devices')
      socket.cut()
    }
    const answer = await send(idPart() + filePart() + end)
    expect(answer.json).toMatchObject({ success: true })
    expect((await running.client.get(textOf(answer.json, 'fileUrl'))).text).toBe('hello')
    const { json } = await running.client.get('/api/devices/files/upload-requests?status=completed&limit=500')
    expect(await uploadedFiles(running.home)).toHaveLength((json['results'] as unknown[]).length)
  })
})

describe('a form that is odd, and documented all the same', () => {
  async function stored(
    body: () => string,
    headers = multipart,
  ): Promise<{ fileName: unknown; text: string }> {
    await ask()
    const answer = await send(body(), headers)
    expect([answer.status, answer.json['success']]).toEqual([200, true])
    return {
      fileName: answer.json['fileName'],
      text: (await running.client.get(textOf(answer.json, 'fileUrl'))).text,
    }
  }

  it.each([
    ['the file first', () => filePart() + idPart() + end],
    [
      'parts that it does not know',
      () => `--b\r\nContent-Disposition: form-data; name="x"\r\n\r\ny\r\n${idPart()}${filePart()}${end}`,
    ],
    ['a preamble and an epilogue', () => `before\r\n${idPart()}${filePart()}${end}after`],
    [
      'header names in lower case',
      () => (idPart() + filePart() + end).replaceAll('Content-Disposition', 'content-disposition'),
    ],
  ])('is taken with %s', async (_, body) => {
    expect(await stored(body)).toEqual({ fileName: 'notes.txt', text: 'hello' })
  })

  it('is taken with a quoted boundary', async () => {
    const quoted = { 'Content-Type': 'multipart/form-data; boundary="b"; charset=utf-8' }
    expect((await stored(() => idPart() + filePart() + end, quoted)).text).toBe('hello')
  })

  it('is taken with an empty file, and with content that looks like a boundary', async () => {
    expect((await stored(() => idPart() + filePart('') + end)).text).toBe('')
    expect((await stored(() => idPart() + filePart('\r\n--c\r\n--\r\n-b') + end)).text).toBe(
      '\r\n--c\r\n--\r\n-b',
    )
  })

  it.each([
    ['filename="../../etc/passwd"', 'passwd'],
    ['filename="C:\\\\Users\\\\ada\\\\notes.txt"', 'notes.txt'],
    ['filename=".."', 'file'],
    ['filename="grüße 👀.txt"', 'grüße 👀.txt'],
    ['filename="a%22b%0D%0AX-Evil: 1.txt"', 'a_b__X-Evil_ 1.txt'],
    ['filename="文件 €.txt"', '文件 €.txt'],
    [`filename="${'x'.repeat(300)}.txt"`, `${'x'.repeat(196)}.txt`],
    [
      'filename="fallback.txt"; filename*=UTF-8\'\'%e2%82%ac%20rates.txt',
      expect.stringMatching(/^(€ rates|fallback)\.txt$/),
    ],
  ])('keeps a plain name of %s', async (disposition, expected) => {
    expect(await stored(() => idPart() + filePart('hello', disposition) + end)).toEqual({
      fileName: expected,
      text: 'hello',
    })
  })

  it('is taken with a file of no name and no type, which is called as on the device', async () => {
    const content = 'x'.repeat(100_000)
    const bare = `--b\r\nContent-Disposition: form-data; name="file"\r\n\r\n${content}\r\n`
    const known = await stored(() => idPart() + bare + end)
    expect(known).toEqual({ fileName: expect.stringMatching(/^[\w.]+$/), text: content })
    expect(await stored(() => bare + idPart() + end)).toEqual({ fileName: 'file', text: content })
  })

  it('C6: fails a request whose device says why', async () => {
    await ask()
    const answer = await send(
      `${idPart()}--b\r\nContent-Disposition: form-data; name="error"\r\n\r\nno such file: ü\r\n${end}`,
    )
    expect([answer.status, answer.json]).toEqual([200, { success: false, error: 'no such file: ü' }])
  })
})
