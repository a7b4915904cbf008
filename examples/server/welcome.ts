import { demoAgentId, demoTask } from './demo-agent.ts'

/** What the welcome tells. */
export interface WelcomeOptions {
  readonly cloudUrl: string
  /** This machine's device. Undefined without one. */
  readonly deviceId: string | undefined
  /** A file that the device may give. */
  readonly filePath: string
  readonly agentsUrl: string
  /** Whether the agent platform asks for a token. */
  readonly needsToken: boolean
  /** Whether others than this machine reach the agent platform. */
  readonly isPublic: boolean
  readonly demoModel: string
  /** Whether there are pages to open. */
  readonly hasDashboard: boolean
}

const json = "-H 'Content-Type: application/json'"

/** What to open, and `curl` lines that work when they are pasted. */
export function welcome(options: WelcomeOptions): string {
  return [...dashboardLines(options), ...cloudLines(options), ...agentLines(options), ''].join('\n')
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

function cloudLines({ cloudUrl: url, deviceId, filePath, isPublic }: WelcomeOptions): string[] {
  const id = deviceId ?? 'DEVICE_ID'
  return [
    `Homeward device cloud: ${url}   (API: ${url}/openapi.json)`,
    ...(isPublic ? ['  It has no login, so it listens on this machine only, whatever HOST says.'] : []),
    '',
    deviceId === undefined ? 'Register a device:' : 'This machine is a device of it. See it:',
    deviceId === undefined
      ? `  curl -s ${url}/api/devices ${json} -d '{"name":"my device","type":"desktop","platform":"linux","metadata":{}}'`
      : `  curl -s ${url}/api/devices`,
    'Search its files, then read the results:',
    `  curl -s ${url}/api/devices/search/query ${json} -d '{"query":"README.md","scope":["files"],"deviceIds":["${id}"]}'`,
    `  curl -s '${url}/api/devices/search/query?deviceId=${id}&limit=1'`,
    'Ask for a file, then read its fileUrl:',
    `  curl -s ${url}/api/devices/files/upload-requests ${json} -d '{"filePath":"${filePath}","destination":"cloud","deviceIds":["${id}"]}'`,
    `  curl -s '${url}/api/devices/files/upload-requests?deviceId=${id}&limit=1'`,
    '',
  ]
}

function agentLines({ agentsUrl: url, needsToken, demoModel }: WelcomeOptions): string[] {
  const headers = needsToken ? `-H "Authorization: Bearer $API_TOKEN" ${json}` : json
  const body = `'${JSON.stringify({ agent_id: demoAgentId, task: demoTask })}'`
  return [
    `Homeward agent platform: ${url}   (API: ${url}/openapi.json)`,
    '',
    `Run its agent "${demoAgentId}" (model: ${demoModel}), whose skill asks the device cloud; then watch it run:`,
    `  curl -s ${url}/api/agents/run ${headers} -d ${body}`,
    `  curl -sN ${url}/api/agents/run/stream ${headers} -d ${body}`,
  ]
}
