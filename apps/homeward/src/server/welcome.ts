import { renderUnicodeCompact } from 'uqr'
import { demoAgentId, demoTask } from './demo-agent.ts'

/** What the welcome tells. */
export interface WelcomeOptions {
  readonly cloudUrl: string
  /** How devices in the network reach the device cloud. Empty when they cannot. */
  readonly networkUrls: readonly string[]
  /** The address that `CLOUD_PUBLIC_URL` names, if it does. */
  readonly publicUrl: string | undefined
  /** This machine's device. Undefined without one. */
  readonly deviceId: string | undefined
  /** Whether the users of the device cloud come from an identity provider. */
  readonly hasLogin: boolean
  /** A file that the device may give. */
  readonly filePath: string
  /** A name that few files of the device have, so that the results do not fill the terminal. */
  readonly searched: string
  readonly agentsUrl: string
  /** Whether the agent platform asks for a token. */
  readonly needsToken: boolean
  /** Whether others than this machine reach the agent platform. */
  readonly isPublic: boolean
  readonly demoModel: string
  /** Whether there are pages to open. */
  readonly hasDashboard: boolean
  /** Folder of databases, settings, skills and files. */
  readonly home: string
}

const json = "-H 'Content-Type: application/json'"

/** The body of a request as an argument of `curl`, whatever stands in it. */
const body = (content: object) => `-d '${JSON.stringify(content).replaceAll("'", String.raw`'\''`)}'`

/** What to open, and `curl` lines that work when they are pasted. */
export function welcome(options: WelcomeOptions): string {
  const lines = [...dashboardLines(options), ...cloudLines(options), ...agentLines(options)]
  return [...lines, '', `Data home: ${options.home}. Ctrl-C ends the server.`, ''].join('\n')
}

function dashboardLines({ hasDashboard, cloudUrl, agentsUrl, needsToken }: WelcomeOptions): string[] {
  if (!hasDashboard) return []
  return [
    'Open in a browser:',
    `  devices: ${cloudUrl}`,
    `  agents:  ${agentsUrl}${needsToken ? '   (asks for the access token)' : ''}`,
    '',
  ]
}

function cloudLines(options: WelcomeOptions): string[] {
  const { cloudUrl: url, filePath, searched, hasLogin, isPublic } = options
  // Nobody logs in as the user whom the trial's device belongs to.
  const deviceId = hasLogin ? undefined : options.deviceId
  const id = deviceId ?? 'DEVICE_ID'
  const curl = hasLogin ? `curl -s -H "Authorization: Bearer $ACCESS_TOKEN"` : 'curl -s'
  return [
    `Homeward device cloud: ${url}   (API: ${url}/openapi.json)`,
    ...(isPublic && !hasLogin && options.networkUrls.length === 0
      ? [
          '  It has no login, so it listens on this machine only, whatever HOST says. CLOUD_HOST opens it for devices.',
        ]
      : []),
    ...pairingLines(options),
    ...(hasLogin ? loginLines(options.deviceId !== undefined) : []),
    '',
    deviceId === undefined ? 'Register a device:' : 'This machine is a device of it. See it:',
    deviceId === undefined
      ? `  ${curl} ${url}/api/devices ${json} ${body({ name: 'my device', type: 'desktop', platform: 'linux' })}`
      : `  ${curl} ${url}/api/devices`,
    'Search its files, then read the results:',
    `  ${curl} ${url}/api/devices/search/query ${json} ${body({ query: searched, scope: ['files'], deviceIds: [id] })}`,
    `  ${curl} '${url}/api/devices/search/query?deviceId=${id}&limit=1'`,
    'Ask for a file, then read its fileUrl:',
    `  ${curl} ${url}/api/devices/files/upload-requests ${json} ${body({ filePath, destination: 'cloud', deviceIds: [id] })}`,
    `  ${curl} '${url}/api/devices/files/upload-requests?deviceId=${id}&limit=1'`,
    '',
  ]
}

/** Where devices in the network find the device cloud, as text and as a QR code. */
function pairingLines({ networkUrls, publicUrl, hasLogin, cloudUrl }: WelcomeOptions): string[] {
  const [url] = publicUrl === undefined ? networkUrls : [publicUrl.replace(/\/+$/, '')]
  if (url === undefined) {
    return [
      '  Other machines cannot reach it. To let their devices enroll, start it with CLOUD_HOST=0.0.0.0.',
    ]
  }
  const others = networkUrls.filter((each) => each !== url)
  return [
    `  Devices in the network reach it at: ${url}${others.length > 0 ? `   (or ${others.join(', ')})` : ''}`,
    `  Approve the code that a device shows: ${hasLogin ? url : cloudUrl}/pair`,
    ...(hasLogin
      ? []
      : ['  Users have no login here: on other machines, pages and API ask for an API token.']),
    '',
    `  ${url}/pair`,
    ...renderUnicodeCompact(`${url}/pair`, { border: 1 })
      .split('\n')
      .map((line) => `  ${line}`),
  ]
}

function loginLines(hasTrialDevice: boolean): string[] {
  return [
    '  Its users come from your identity provider: put an API token, or an access token of the provider, into ACCESS_TOKEN.',
    ...(hasTrialDevice
      ? [
          '  This machine runs a device of the user "local", whom nobody logs in as: register your own, or set HOMEWARD_DEVICE=off.',
        ]
      : []),
  ]
}

function agentLines({ agentsUrl: url, needsToken, demoModel }: WelcomeOptions): string[] {
  const headers = needsToken ? `-H "Authorization: Bearer $API_TOKEN" ${json}` : json
  const request = body({ agent_id: demoAgentId, task: demoTask })
  const model = demoModel.startsWith('test/') ? `${demoModel}, built in` : demoModel
  return [
    `Homeward agent platform: ${url}   (API: ${url}/openapi.json)`,
    '',
    `Run its agent "${demoAgentId}" (model: ${model}), whose skill asks the device cloud; then watch it run:`,
    `  curl -s ${url}/api/agents/run ${headers} ${request}`,
    `  curl -sN ${url}/api/agents/run/stream ${headers} ${request}`,
  ]
}
