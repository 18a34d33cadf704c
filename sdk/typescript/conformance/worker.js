/**
 * The driver for workerd, where a message comes as a request.
 */
import { answer, write } from './answer.js'

export default {
  async fetch(request) {
    return new Response(write(await answer(await request.json())))
  },
}
