/** The bare floor: the least that a Worker can do with a beacon. No framework, one header, no object. */
export default {
  async fetch(request) {
    const beacon = await request.json();
    if (typeof beacon.page_id !== "string") return new Response(null, { status: 400 });
    return new Response('{"ok":true}', {
      status: 202,
      headers: { "Content-Type": "application/json" },
    });
  },
};
