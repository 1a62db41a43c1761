"""
The Python SDK's client: lists the tools over HTTP or over standard input and output, calls two, and prints what came as
JSON. Arguments: `http URL TOKEN`, or `stdio PROGRAM ARGUMENT...`, which gets this process's environment.
"""

import asyncio
import json
import os
import sys

import httpx2
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client


async def use(session: ClientSession) -> None:
    await session.initialize()
    tools = await session.list_tools()
    me = await session.call_tool("whoami", {})
    missing = await session.call_tool("app_status", {"app": "no-such-app"})
    answer = {
        "tools": len(tools.tools),
        "me": me.model_dump(by_alias=True, mode="json"),
        "missing": missing.model_dump(by_alias=True, mode="json"),
    }
    print(json.dumps(answer))


async def over_http(url: str, token: str) -> None:
    async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}) as http:
        async with streamable_http_client(url, http_client=http) as streams:
            async with ClientSession(streams[0], streams[1]) as session:
                await use(session)


async def over_stdio(program: str, *args: str) -> None:
    server = StdioServerParameters(command=program, args=list(args), env=dict(os.environ))
    async with stdio_client(server) as streams:
        async with ClientSession(streams[0], streams[1]) as session:
            await use(session)


transports = {"http": over_http, "stdio": over_stdio}
asyncio.run(transports[sys.argv[1]](*sys.argv[2:]))
