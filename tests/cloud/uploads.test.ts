import { describe, expect, it } from 'vitest'
import { createTestCloud, storeKinds, type Row, type TestCloud } from './test-cloud.ts'

const minute = 60_000

function form(parts: Record<string, string | Blob>, fileName = 'notes.txt'): FormData {
  const body = new FormData()
  for (const [name, value] of Object.entries(parts)) {
    if (typeof value === 'string') body.append(name, value)
    else body.append(name, value, fileName)
  }
  return body
}

async function ask(test: TestCloud, deviceIds: string[]): Promise<string> {
  const body = { deviceIds, filePath: '/home/ada/notes.txt', destination: 'cloud' }
  const answer = await test.send('POST', '/api/devices/files/upload-requests', { body })
  expect(answer.status).toBe(201)
  return answer.body.uploadRequests![0]!.id
}

const upload = (test: TestCloud, headers: Record<string, string>, body: FormData) =>
  test.send('POST', '/api/devices/files/upload', { body, headers })

async function only(test: TestCloud): Promise<Row> {
  return (await test.send('GET', '/api/devices/files/upload-requests')).body.results![0]!
}

describe.each(storeKinds)('uploads over %s', (kind) => {
  it('C5, C27: lists requests by words of their name and path, in any order and without accents', async () => {
    await using test = await createTestCloud(kind)
    const { id } = await test.register()
    const paths = [
      '/home/ada/Bills/invoice Müller 2024.pdf',
      'C:\\docs\\Plan.pdf',
      '/home/ada/Bills/note.txt',
    ]
    for (const filePath of paths) {
      const body = { deviceIds: [id], filePath, destination: 'cloud' }
      expect((await test.send('POST', '/api/devices/files/upload-requests', { body })).status).toBe(201)
      test.advance(1000)
    }
    const list = async (query: string, more = '') => {
      const path = `/api/devices/files/upload-requests?query=${encodeURIComponent(query)}${more}`
      const { status, body } = await test.send('GET', path)
      expect(status).toBe(200)
      return { ...body, names: body.results!.map(({ filePath }) => paths.indexOf(String(filePath))) }
    }
    expect((await list('2024 muller')).names).toEqual([0])
    expect((await list('pdf')).names).toEqual([1, 0])
    expect((await list('bills note')).names).toEqual([2])
    expect((await list('docs plan')).names).toEqual([1])
    expect((await list('*.txt')).names).toEqual([2])
    expect((await list('invoice 1999')).names).toEqual([])
    const first = await list('pdf', '&limit=1')
    expect(first.names).toEqual([1])
    expect((await list('pdf', `&limit=1&cursor=${String(first['nextCursor'])}`)).names).toEqual([0])
  })

  it.each([
    ['request id first', (id: string, file: Blob) => form({ requestId: id, file })],
    ['file first', (id: string, file: Blob) => form({ file, requestId: id })],
  ])('C5, C13: stores a requested file and serves it as an attachment (%s)', async (_, toForm) => {
    await using test = await createTestCloud(kind)
    const { id, headers } = await test.register()
    const requestId = await ask(test, [id])
    const pending = await test.send('GET', '/api/devices/files/upload-requests/pending', { headers })
    expect(pending.body).toEqual({
      requests: [
        {
          id: requestId,
          filePath: '/home/ada/notes.txt',
          destination: 'cloud',
          actor: 'owner',
          createdAt: expect.any(String),
        },
      ],
    })
    const answer = await upload(test, headers, toForm(requestId, new Blob(['<script>hello</script>'])))
    const body = answer.body
    expect(answer.status).toBe(200)
    expect(body).toEqual({
      success: true,
      fileName: 'notes.txt',
      fileUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:3000\//),
    })

    const file = await test.send('GET', new URL(body.fileUrl!).pathname)
    expect(file.text).toBe('<script>hello</script>')
    expect(file.headers.get('content-disposition')).toMatch(/^attachment; filename="notes.txt"/)
    expect(file.headers.get('x-content-type-options')).toBe('nosniff')
    expect(await only(test)).toMatchObject({
      status: 'completed',
      fileUrl: body.fileUrl,
      size: 22,
      device: { id, name: 'laptop' },
    })

    // A repeat changes nothing.
    const again = await upload(test, headers, form({ requestId, file: new Blob(['other']) }))
    expect(again.body).toEqual(body)
    expect((await test.send('GET', new URL(body.fileUrl!).pathname)).text).toBe('<script>hello</script>')
    expect(test.errors).toEqual([])
  })

  it('C4: leases a request while it is uploaded, and gives it back when the lease is over', async () => {
    await using test = await createTestCloud(kind)
    const { id, headers } = await test.register()
    const requestId = await ask(test, [id])
    const now = '2026-01-01T00:00:00.000Z'
    await test.store.leaseUpload({
      id: requestId,
      deviceId: id,
      blobId: 'b',
      leaseUntil: '2026-01-01T00:10:00.000Z',
      now,
    })
    expect(await only(test)).toMatchObject({ status: 'uploading' })
    test.advance(10 * minute)
    expect(await only(test)).toMatchObject({ status: 'pending' })
    test.advance(24 * 60 * minute)
    expect(await only(test)).toMatchObject({ status: 'failed', error: 'expired' })
    const late = await upload(test, headers, form({ requestId, file: new Blob(['late']) }))
    expect(late.body).toEqual({ success: false, error: 'expired' })
  })

  it('C4: gives a request back at once when its upload broke off', async () => {
    await using test = await createTestCloud(kind)
    const { id, headers } = await test.register()
    const requestId = await ask(test, [id])
    const named = `--b\r\nContent-Disposition: form-data; name="requestId"\r\n\r\n${requestId}\r\n`
    const half = '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nhalf a fi'
    const cut = await test.cloud.fetch(
      new Request('http://127.0.0.1:3000/api/devices/files/upload', {
        method: 'POST',
        body: named + half,
        headers: { ...headers, 'content-type': 'multipart/form-data; boundary=b' },
      }),
    )
    expect(cut.status).toBe(400)
    expect(await only(test)).toMatchObject({ status: 'pending' })
    const again = await upload(test, headers, form({ requestId, file: new Blob(['whole']) }))
    expect(again.body).toMatchObject({ success: true })
  })

  it('names requestId when it cannot be an id, whichever part comes first', async () => {
    await using test = await createTestCloud(kind)
    const { headers } = await test.register()
    const file = new Blob(['x'])
    for (const requestId of ['', 'x'.repeat(129)]) {
      for (const body of [form({ requestId, file }), form({ file, requestId })]) {
        const { status, body: said } = await upload(test, headers, body)
        expect([status, said]).toMatchObject([400, { message: expect.stringContaining('requestId') }])
      }
    }
  })

  it('C4: cancels what is not over', async () => {
    await using test = await createTestCloud(kind)
    const { id, headers } = await test.register()
    const requestId = await ask(test, [id])
    const cancel = () => test.send('DELETE', `/api/devices/files/upload-requests/${requestId}`)
    expect((await cancel()).body).toEqual({ success: true, id: requestId, status: 'canceled' })
    expect((await cancel()).status).toBe(200)
    const answer = await upload(test, headers, form({ requestId, file: new Blob(['x']) }))
    expect(answer.body).toMatchObject({ success: false })
    expect(await only(test)).toMatchObject({ status: 'canceled' })
    const done = await ask(test, [id])
    await upload(test, headers, form({ requestId: done, file: new Blob(['x']) }))
    expect((await test.send('DELETE', `/api/devices/files/upload-requests/${done}`)).status).toBe(409)
  })

  it('C6: takes the reason why there is no file', async () => {
    await using test = await createTestCloud(kind)
    const { id, headers } = await test.register()
    const requestId = await ask(test, [id])
    const answer = await upload(test, headers, form({ requestId, error: 'ENOENT: no such file' }))
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({ success: false, error: 'ENOENT: no such file' })
    expect(await only(test)).toMatchObject({ status: 'failed', error: 'ENOENT: no such file' })
  })

  it('names the field that a form lacks, as for a body', async () => {
    await using test = await createTestCloud(kind)
    const { headers } = await test.register()
    const { status, body } = await upload(test, headers, form({ file: new Blob(['x']) }))
    expect([status, body.message]).toEqual([400, 'requestId: is missing, expected string'])
  })

  it('C12: refuses the eleventh upload at once, with a whole number of seconds to wait', async () => {
    await using test = await createTestCloud(kind)
    const { headers } = await test.register()
    const answers = []
    for (let index = 0; index < 11; index += 1)
      answers.push(await upload(test, headers, form({ requestId: 'no', error: 'x' })))
    expect(answers.slice(0, 10).every((answer) => answer.status === 404)).toBe(true)
    const last = answers[10]!
    expect(last.status).toBe(429)
    expect(last.body).toMatchObject({ error: 'Rate limit exceeded' })
    expect(Number(last.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
  })

  it('C18: refuses a file over the limit and keeps nothing of it', async () => {
    await using test = await createTestCloud(kind, { maxUploadBytes: 1000 })
    const { id, headers } = await test.register()
    const requestId = await ask(test, [id])
    for (const size of [1001, 200_000]) {
      const answer = await upload(test, headers, form({ requestId, file: new Blob(['x'.repeat(size)]) }))
      expect(answer.status).toBe(413)
      expect(answer.body).toMatchObject({ error: 'Payload too large' })
    }
    const fits = await upload(test, headers, form({ requestId, file: new Blob(['x'.repeat(1000)]) }))
    expect(fits.body).toMatchObject({ success: true })
  })

  it('refuses broken forms, unknown requests and other devices, and names what is wrong', async () => {
    await using test = await createTestCloud(kind)
    const { id, headers } = await test.register()
    const other = await test.register('other')
    const requestId = await ask(test, [id])
    const file = new Blob(['x'])
    for (const [body, field] of [
      [form({ file }), 'requestId'],
      [form({ requestId }), 'file'],
      [form({ requestId, error: '  ' }), 'file'],
    ] as const) {
      const answer = await upload(test, headers, body)
      expect([answer.status, answer.body.message!]).toEqual([400, expect.stringContaining(field)])
    }
    for (const [as, asked] of [
      [headers, 'unknown'],
      [other.headers, requestId],
    ] as const) {
      const answer = await upload(test, as, form({ file, requestId: asked }))
      expect([answer.status, answer.body]).toEqual([404, { error: 'Upload request not found' }])
    }
    const cut = '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nhalf a fi'
    const response = await test.cloud.fetch(
      new Request('http://127.0.0.1:3000/api/devices/files/upload', {
        method: 'POST',
        body: cut,
        headers: { ...headers, 'content-type': 'multipart/form-data; boundary=b' },
      }),
    )
    expect(response.status).toBe(400)
    const json = await test.send('POST', '/api/devices/files/upload', { body: { requestId }, headers })
    expect(json.status).toBe(415)
    expect(await only(test)).toMatchObject({ status: expect.stringMatching(/pending|uploading/) })
    expect(test.errors).toEqual([])
  })

  it.each([
    ['../../etc/passwd', 'passwd'],
    ['C:\\Users\\ada\\notes.txt', 'notes.txt'],
    ['..', 'file'],
    ['', 'notes.txt'], // that of the path
    ['grüße "1".txt', 'grüße _1_.txt'],
  ])('keeps a plain name of %s', async (given, expected) => {
    await using test = await createTestCloud(kind)
    const { id, headers } = await test.register()
    const requestId = await ask(test, [id])
    const answer = await upload(test, headers, form({ requestId, file: new Blob(['x']) }, given))
    expect(answer.body.fileName).toBe(expected)
    expect((await test.send('GET', new URL(answer.body.fileUrl!).pathname)).text).toBe('x')
  })
})
