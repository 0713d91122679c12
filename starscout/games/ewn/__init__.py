"""EinStein würfelt nicht!"""
