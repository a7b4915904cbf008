import { readDeviceMetadata } from '@homeward/device-sdk/node'
import { homewardVersion } from '../program/version.ts'

/** Describes this machine for heartbeats. `agentVersion` lets the pages show which devices run an old program. */
export const agentMetadata = () => ({ ...readDeviceMetadata(), agentVersion: homewardVersion })
