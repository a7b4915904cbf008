import { check } from '../../conformance-case.ts'
import { decisions, operations } from '../../references.ts'
import {
  type CloudAnswer,
  type CloudCase,
  type CloudTrial,
  expectStatus,
  type OwnDevice,
  rowsIn,
} from '../cloud-trial.ts'

const content = Buffer.from('zero \u0000 and\r\n--boundary--\r\nmore')

/** Sends a form of a device. */
function sendForm(
  device: OwnDevice,
  requestId: string,
  part: { file?: Buffer; error?: string },
): Promise<CloudAnswer> {
  const body = new FormData()
  body.append('requestId', requestId)
  if (part.file) body.append('file', new File([new Uint8Array(part.file)], 'report.txt'))
  if (part.error !== undefined) body.append('error', part.error)
  return device.call('POST', '/api/devices/files/upload', { body })
}

/** The upload request as the user sees it. */
async function readUpload(
  trial: CloudTrial,
  id: string,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  return rowsIn(await trial.call('GET', `/api/devices/files/upload-requests?requestId=${id}`), 'results')[0]
}

const pending = async (device: OwnDevice) =>
  rowsIn(await device.call('GET', '/api/devices/files/upload-requests/pending'), 'requests')

/** Files, from the request to the download. */
export const uploadCases: readonly CloudCase[] = [
  {
    id: 'upload-pending',
    title: 'The device finds the request for a file in its list.',
    holds: operations.uploads,
    async run(trial) {
      const device = await trial.register()
      const id = await trial.addUpload(device, '/home/ann/report.txt')
      const [row] = await pending(device)
      check(
        row?.['id'] === id && row['filePath'] === '/home/ann/report.txt',
        'The list must have "id" and "filePath" of the request.',
      )
      check(
        row['destination'] === 'cloud',
        `"destination" must be "cloud", got ${JSON.stringify(row['destination'])}.`,
      )
    },
  },
  {
    id: 'upload-file',
    title: 'An uploaded file gets a fileUrl, where the user downloads the same bytes.',
    holds: operations.upload,
    async run(trial) {
      const device = await trial.register()
      const id = await trial.addUpload(device, '/home/ann/report.txt')
      const answer = await sendForm(device, id, { file: content })
      expectStatus(answer, 'An upload', 200)
      const { success, fileName, fileUrl } = answer.body
      check(
        success === true && fileName === 'report.txt',
        'The answer must have "success": true and "fileName".',
      )
      check(
        typeof fileUrl === 'string' && URL.canParse(fileUrl),
        `"fileUrl" must be an address, got ${JSON.stringify(fileUrl)}.`,
      )
      check((await pending(device)).length === 0, 'A file that arrived must not be listed for the device.')
      const download = await trial.call('GET', fileUrl)
      check(
        download.bytes.equals(content),
        `The download must give the same bytes, got ${download.status} and ${download.bytes.length} bytes.`,
      )
    },
  },
  {
    id: 'upload-repeated',
    title: 'A repeated upload gets the first outcome.',
    holds: operations.upload,
    async run(trial) {
      const device = await trial.register()
      const id = await trial.addUpload(device, '/home/ann/report.txt')
      const first = await sendForm(device, id, { file: content })
      const second = await sendForm(device, id, { file: Buffer.from('another') })
      check(
        second.status === 200 && second.body['success'] === true,
        'A repeat must get 200 and "success": true.',
      )
      const download = await trial.call('GET', String(first.body['fileUrl']))
      check(download.bytes.equals(content), 'The stored file must not change.')
    },
  },
  {
    id: 'upload-error',
    title: 'A device that cannot deliver a file says why, and the user reads it.',
    holds: decisions.unreadable,
    async run(trial) {
      const device = await trial.register()
      const id = await trial.addUpload(device, '/home/ann/report.txt')
      const { status, body } = await sendForm(device, id, { error: 'policy_denied: no' })
      check(
        status === 200 && body['success'] === false,
        `The answer must be 200 with "success": false, got ${status}.`,
      )
      const row = await readUpload(trial, id)
      check(
        row?.['status'] === 'failed' && row['error'] === 'policy_denied: no',
        'The user must read the status "failed" and the error.',
      )
    },
  },
  {
    id: 'upload-of-others',
    title: 'A file for an unknown request, or for one of another device, gets 404.',
    holds: operations.upload,
    async run(trial) {
      const [device, other] = [await trial.register(), await trial.register()]
      const id = await trial.addUpload(device, '/home/ann/report.txt')
      expectStatus(
        await sendForm(other, id, { file: content }),
        'A file for a request of another device',
        404,
      )
      expectStatus(
        await sendForm(other, 'no-such-request', { file: content }),
        'A file for an unknown request',
        404,
      )
    },
  },
  {
    id: 'upload-broken-form',
    title: 'A form that is cut off is a validation error, and the request stays open.',
    holds: operations.upload,
    async run(trial) {
      const device = await trial.register()
      const id = await trial.addUpload(device, '/home/ann/report.txt')
      const body = `--x\r\nContent-Disposition: form-data; name="requestId"\r\n\r\n${id}\r\n--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nhalf`
      const headers = { 'content-type': 'multipart/form-data; boundary=x' }
      expectStatus(
        await device.call('POST', '/api/devices/files/upload', { body, headers }),
        'A form that is cut off',
        400,
      )
      expectStatus(await sendForm(device, id, { file: content }), 'The whole form', 200)
    },
  },
  {
    id: 'upload-canceled',
    title: 'A canceled request is not listed any more, and its file is answered with canceled.',
    holds: decisions.canceled,
    async run(trial) {
      const device = await trial.register()
      const id = await trial.addUpload(device, '/home/ann/report.txt')
      expectStatus(
        await trial.call('DELETE', `/api/devices/files/upload-requests/${id}`),
        'A cancellation',
        200,
      )
      check((await pending(device)).length === 0, 'A canceled request must not be listed.')
      const { status, body } = await sendForm(device, id, { file: content })
      check(
        status === 200 && body['success'] === false,
        `The file must get 200 and "success": false, got ${status}.`,
      )
    },
  },
]
