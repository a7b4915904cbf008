import { join } from 'node:path'
import { check } from '../../conformance-case.ts'
import { decisions, operations, rules } from '../../references.ts'
import type { TestUpload } from '../cloud/pending-work.ts'
import type { DeviceCase, DeviceTrial } from '../device-trial.ts'
import { contents, secretText } from '../prepared-files.ts'

/** Asks for a file of the root, and fails unless it arrives byte by byte. */
export async function uploadWhole(trial: DeviceTrial, path: string): Promise<TestUpload> {
  const upload = await trial.upload(join(trial.files.root, path))
  check(upload.error === undefined, `The file ${path} must be uploaded; the agent says: ${upload.error}`)
  const wanted = contents[path]?.length ?? 0
  const isSame = upload.content?.equals(contents[path] ?? Buffer.alloc(0)) === true
  check(
    isSame,
    `The file ${path} must arrive byte by byte: ${wanted} bytes, got ${upload.content?.length ?? 'none'}.`,
  )
  return upload
}

/** Fails unless the agent refused the file with words, and without its content. */
export async function refusesUpload(trial: DeviceTrial, path: string, starts = ''): Promise<void> {
  const upload = await trial.upload(path)
  check(upload.content === undefined, `The agent must not upload ${JSON.stringify(path)}.`)
  const said = JSON.stringify(upload.error)
  check(
    upload.error?.startsWith(starts) === true,
    `The part "error" must begin with "${starts}", got ${said}.`,
  )
  const leaked = trial.cloud.requests.some(({ body }) => body.includes(secretText))
  check(!leaked, 'Nothing outside of the shared folder may leave the device.')
}

/** Files that the cloud asks for. */
export const uploadCases: readonly DeviceCase[] = [
  {
    id: 'upload-file',
    title: 'A requested file arrives as a form with requestId and file.',
    holds: operations.upload,
    async run(trial) {
      const upload = await uploadWhole(trial, 'alpha-notes.txt')
      const [form] = upload.forms
      check(
        form?.requestId === upload.id,
        `The part "requestId" must be the id of the request, got ${form?.requestId}.`,
      )
      check(
        form.file?.name === 'alpha-notes.txt',
        `The file name must be alpha-notes.txt, got ${form.file?.name}.`,
      )
    },
  },
  {
    id: 'upload-binary',
    title: 'A file with zero bytes, line ends and text like a boundary arrives byte by byte.',
    holds: operations.upload,
    async run(trial) {
      await uploadWhole(trial, 'sub/deep/gamma.bin')
    },
  },
  {
    id: 'upload-empty',
    title: 'An empty file is uploaded as an empty file.',
    holds: operations.upload,
    async run(trial) {
      await uploadWhole(trial, 'empty-file.txt')
    },
  },
  {
    id: 'upload-once',
    title: 'A file that arrived is not sent again.',
    holds: operations.upload,
    async run(trial) {
      const upload = await uploadWhole(trial, 'sub/Beta Report.txt')
      await trial.rest(Math.max(3 * trial.intervalMs, 500))
      check(
        upload.forms.length === 1,
        `An acknowledged file must not be sent again, got ${upload.forms.length} forms.`,
      )
    },
  },
  {
    id: 'upload-missing',
    title: 'A file that is not there is answered with the part "error", not with silence.',
    holds: decisions.unreadable,
    async run(trial) {
      await refusesUpload(trial, join(trial.files.root, 'no-such-file.txt'))
    },
  },
  {
    id: 'upload-folder',
    title: 'A folder is not a file: the agent says so.',
    holds: decisions.unreadable,
    async run(trial) {
      await refusesUpload(trial, join(trial.files.root, 'sub'))
    },
  },
  {
    id: 'upload-outside',
    title: 'A file outside of the shared folder is refused with policy_denied.',
    holds: rules,
    async run(trial) {
      await refusesUpload(trial, join(trial.files.outside, 'secret.txt'), 'policy_denied:')
    },
  },
]
