export { createCutProxy, type CutProxy } from '../../../../../../tests/postgres/cut-proxy.ts'
