import {
  type ApiKey,
  type EnrolledDevice,
  type EnrollmentCode,
  enrollDevice,
  type Secret,
} from '@homeward/device-sdk'
import { createKeyFile } from '@homeward/device-sdk/node'
import { renderQrCode } from '../terminal/qr-code.ts'
import { agentMetadata } from './agent-metadata.ts'
import { platformName } from './platform-name.ts'
import { printable } from '../terminal/printable.ts'

/** What a device needs to get into a cloud. */
interface EnrollmentSettings {
  readonly cloudUrl: string
  /** Folder for the key of the device. */
  readonly stateFolder: string
  readonly name: string
  readonly enrollmentToken: Secret | undefined
  /** Takes one line for each fact. */
  readonly log: (line: string) => void
  /** Takes a picture of several lines, for people at a terminal. */
  readonly show: (text: string) => void
}

/** A key of this device, and what lets it in. */
interface Enrollment {
  readonly apiKey: ApiKey
  readonly enroll: (signal: AbortSignal) => Promise<EnrolledDevice>
}

/** Prepares the enrollment of this machine. Nothing is sent, and no key made, before `enroll` is called. */
export function createEnrollment(settings: EnrollmentSettings): Enrollment {
  const { cloudUrl: baseUrl, stateFolder, name, enrollmentToken: token, show } = settings
  const log = (line: string) => settings.log(printable(line))
  const apiKey = createKeyFile({ folder: stateFolder })
  const onCode = ({
    userCode,
    verificationUri,
    verificationUriComplete,
    expiresInSeconds,
  }: EnrollmentCode) => {
    const qrCode = renderQrCode(verificationUriComplete)
    if (qrCode) show(qrCode)
    log(`to let this device in, open ${verificationUriComplete}`)
    log(`or enter the code ${userCode} at ${verificationUri}`)
    log(`a new code follows in ${Math.round(expiresInSeconds / 60)} minutes`)
  }
  return {
    apiKey,
    enroll: (signal) =>
      enrollDevice({
        baseUrl,
        apiKey,
        token,
        name,
        type: 'desktop',
        platform: platformName(),
        metadata: agentMetadata(),
        onCode,
        onRetry: (error, retryInMs) =>
          log(`${error.message} (next try in ${Math.round(retryInMs / 1000)} s)`),
        signal,
      }),
  }
}
