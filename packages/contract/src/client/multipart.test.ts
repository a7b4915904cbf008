import { expect, it } from 'vitest'
import { encodeMultipart } from './multipart.ts'

it('escapes quotes and line breaks in names as browsers do, and knows its length', async () => {
  const content = new Blob(['abc']).stream() as ReadableStream<Uint8Array>
  const form = encodeMultipart(
    { 'a"\r\nb': 'x\ny' },
    'file',
    { fileName: '"\r\n.txt', size: 3, content },
    'B',
  )
  const text = await new Response(form.body).text()
  expect(text).toBe(
    [
      '--B',
      'Content-Disposition: form-data; name="a%22%0D%0Ab"',
      '',
      'x',
      'y',
      '--B',
      'Content-Disposition: form-data; name="file"; filename="%22%0D%0A.txt"',
      'Content-Type: application/octet-stream',
      '',
      'abc',
      '--B--',
      '',
    ].join('\r\n'),
  )
  expect(form.length).toBe(text.length)
})

it('reads the file only as fast as the form is read', async () => {
  let pulled = 0
  const content = new ReadableStream<Uint8Array>(
    { pull: (controller) => controller.enqueue(new Uint8Array(1000).fill(++pulled)) },
    { highWaterMark: 0 },
  )
  const form = encodeMultipart({}, 'file', { fileName: 'a', size: 1e9, content }, 'B')
  const reader = form.body.getReader()
  for (let count = 0; count < 5; count += 1) await reader.read()
  expect(pulled).toBeLessThan(8)
  await reader.cancel()
})
