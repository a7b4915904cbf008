import type { UploadRequest } from '@homeward/contract/device-cloud'
import { DeviceCloudError } from '../../device-cloud-error.ts'
import { type DevicePolicy, findPathProblem, hasConsent } from '../../policy/device-policy.ts'
import type { FileSource, OpenedFile } from '../../ports/index.ts'
import { untilAborted } from '@homeward/kit'

const defaultMaxBytes = 100 * 1024 * 1024

/**
 * Opens a requested file, or gives the reason why the cloud does not get it: the policy comes first.
 * Rejects only when `signal` aborts, with its reason.
 */
export async function openRequested(
  request: UploadRequest,
  files: FileSource | undefined,
  policy: DevicePolicy,
  signal: AbortSignal,
): Promise<OpenedFile | string> {
  const problem = findPathProblem(request.filePath)
  if (problem) return `policy_denied: ${problem}`
  if (!files) return 'policy_denied: this device does not send files'
  if (!(await untilAborted(hasConsent(policy, { action: 'upload', request }, signal), signal))) {
    return 'policy_denied: the owner of this device denied the request'
  }
  const maxBytes = policy.maxUploadBytes ?? defaultMaxBytes
  try {
    const opening = files.open(request.filePath, { maxBytes, signal })
    const file = await untilAborted(opening, signal).catch((error: unknown) => {
      // A source that does not heed the signal may still open the file later.
      if (signal.aborted) void opening.then((late) => late.close()).catch(() => {})
      throw error
    })
    if (file.size <= maxBytes) return file
    await file.close().catch(() => {})
    return `policy_denied: the file is larger than ${maxBytes} bytes`
  } catch (error) {
    signal.throwIfAborted()
    if (!DeviceCloudError.is(error)) return 'the file could not be opened'
    const isUnmarked = error.code === 'POLICY_DENIED' && !error.message.startsWith('policy_denied')
    return `${isUnmarked ? 'policy_denied: ' : ''}${error.message}`.slice(0, 1000)
  }
}
