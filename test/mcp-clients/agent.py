"""The Python SDK's client: lists the tools over HTTP, calls two, and prints what came as JSON."""

import asyncio
import json
import sys

import httpx2
from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client


async def main(url: str, token: str) -> None:
    async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}) as http:
        async with streamable_http_client(url, http_client=http) as streams:
            async with ClientSession(streams[0], streams[1]) as session:
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


asyncio.run(main(sys.argv[1], sys.argv[2]))
