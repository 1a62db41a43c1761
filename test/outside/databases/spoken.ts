/** Servers of postgres and mysql that answer as scripts say, to whatever login: for answers that no real one gives. */
import type { Socket } from 'node:net'

/** What the answer to each statement is, in turn, as it goes over the wire. */
export type Script = readonly ((socket: Socket) => void)[]

const int16 = (value: number): Buffer => Buffer.from([value >> 8, value & 0xff])
const int32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}
const text = (value: string): Buffer => Buffer.from(`${value}\0`)

/** The protocol of postgres: https://www.postgresql.org/docs/current/protocol-message-formats.html */
export const postgres = {
  done: (tag: string) => Buffer.concat([message('C', text(tag)), message('Z', Buffer.from('T'))]),
  /** One row of one column of the type with that object id, after a statement that was prepared. */
  row: (type: number, value: string) =>
    Buffer.concat([
      message('1'),
      message('2'),
      message('T', int16(1), text('value'), int32(0), int16(0), int32(type), int16(-1), int32(-1), int16(0)),
      message('D', int16(1), int32(value.length), Buffer.from(value)),
      postgres.done('SELECT 1'),
    ]),
  speak: (socket: Socket, script: Script): void => {
    let received = Buffer.alloc(0)
    let isIn = false
    let turn = 0
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk])
      for (;;) {
        const head = isIn ? 1 : 0
        const end = received.length < head + 4 ? Infinity : head + received.readInt32BE(head)
        if (received.length < end) return
        const kind = isIn ? String.fromCharCode(received[0] ?? 0) : 'login'
        received = received.subarray(end)
        if (kind === 'login') socket.write(Buffer.concat([message('R', int32(0)), message('Z', Buffer.from('I'))]))
        isIn = true
        if (kind !== 'Q' && kind !== 'S') continue
        script[turn]?.(socket)
        turn += 1
      }
    })
  },
}

function message(kind: string, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts)
  return Buffer.concat([Buffer.from(kind), int32(body.length + 4), body])
}

const packet = (turn: number, ...bytes: readonly (number | string)[]): Buffer => {
  const body = Buffer.concat(bytes.map((each) => (typeof each === 'string' ? Buffer.from(each) : Buffer.from([each]))))
  return Buffer.concat([Buffer.from([body.length & 0xff, body.length >> 8, 0, turn]), body])
}
const zeros = (count: number): number[] => Array<number>(count).fill(0)
const word = (value: string): (number | string)[] => [value.length, value]

/** The protocol of mysql: https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_basics.html */
export const mysql = {
  ok: (turn = 1) => packet(turn, 0, 0, 0, 2, 0, 0, 0),
  /** One row of one text. */
  row: (value: string) => {
    const end = [0xfe, 0, 0, 2, 0] as const
    const column = [...word('def'), 0, 0, 0, ...word('value'), 0, 0x0c, 33, 0, 0, 1, 0, 0, 0xfd, 0, 0, 0, 0, 0]
    return Buffer.concat([
      packet(1, 1),
      packet(2, ...column),
      packet(3, ...end),
      packet(4, ...word(value)),
      packet(5, ...end),
    ])
  },
  speak: (socket: Socket, script: Script): void => {
    let received = Buffer.alloc(0)
    let isIn = false
    let turn = 0
    const abilities = [0x09, 0xa2, 33, 2, 0, 0x08, 0x00, 21] // among them: the second half of the challenge, a plugin
    const challenge = ['12345678', 0, ...abilities, ...zeros(10), '123456789012', 0]
    socket.write(packet(0, 10, '8.4.0', 0, 1, 0, 0, 0, ...challenge, 'mysql_native_password', 0))
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk])
      while (received.length >= 4 && received.length >= 4 + received.readUIntLE(0, 3)) {
        received = received.subarray(4 + received.readUIntLE(0, 3))
        if (!isIn) {
          isIn = true
          socket.write(mysql.ok(2))
          continue
        }
        script[turn]?.(socket)
        turn += 1
      }
    })
  },
}
